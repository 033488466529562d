import { Alert, Button, Group, Text } from '@mantine/core'
import { MAX_INDEXED_FIELDS } from '@recordhub/protocol/constants'
import { IconArrowsSort } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import type { Column, ListedModule } from './columns.ts'
import { changeView } from './list-query.ts'
import type { Indexing } from './use-indexing.ts'

/** Shown if sorting takes too long, with advice and a button to index the field. */
export function SlowSortNotice(props: {
  column: Column | null
  /** The module of the list; null for several. */
  module: ListedModule | null
  indexing: Indexing
  onBuilt: () => void
}) {
  const { column, module, indexing, onBuilt } = props
  const [, change] = useUrlState()
  const isOperator = useHasRole('operator')
  const { indexed, isSending, fieldOf, canIndex, index } = indexing
  const own = column && fieldOf(column)
  const isBuilt = own?.is_built === true
  useEffect(() => {
    if (isBuilt) onBuilt()
  }, [isBuilt, onBuilt])
  const advice = own
    ? 'The index is being built. The list appears when it is ready.'
    : module === null
      ? 'Select one platform and one module first: indexes belong to a module.'
      : !isOperator
        ? 'An operator can index this field to make sorting fast.'
        : indexed.length >= MAX_INDEXED_FIELDS
          ? `${module.module.module_name} already has the maximum of ${MAX_INDEXED_FIELDS} indexed fields (${indexed.map((field) => field.key).join(', ')}).`
          : 'Index this field to make sorting fast, or filter the list to fewer records.'
  return (
    <Alert
      color="yellow"
      icon={<IconArrowsSort />}
      title={`Sorting by ${column?.label ?? 'this field'} takes too long`}
      role="alert"
    >
      <Text size="sm">This field is not indexed. {advice}</Text>
      <Group mt="sm" gap="sm">
        {column && canIndex(column) && (
          <Button size="xs" loading={isSending} onClick={() => void index(column)}>
            Index {column.label}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => change(changeView({ sort: null }))}>
          Sort by last update instead
        </Button>
      </Group>
    </Alert>
  )
}
