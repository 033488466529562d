import { Alert, Button, Group, Text } from '@mantine/core'
import { MAX_INDEXED_FIELDS } from '@recordhub/protocol/constants'
import { IconArrowsSort } from '@tabler/icons-react'
import { useEffect } from 'react'
import { type Column, type ListedModule, pathOfColumn } from './columns.ts'
import { useIndexing } from './use-indexing.ts'

/** Shown if sorting takes too long, with advice and a button to index the field. */
export function SlowSortNotice({
  column,
  module,
  canIndex,
  onUnsort,
  onBuilt,
}: {
  column: Column | null
  /** The module of the list; null for several. */
  module: ListedModule | null
  canIndex: boolean
  onUnsort: () => void
  onBuilt: () => void
}) {
  const { indexed, index, isSending } = useIndexing(module)
  const key = column && pathOfColumn(column)
  const own = indexed.find((field) => field.key === key)
  const isBuilt = own?.is_built === true
  useEffect(() => {
    if (isBuilt) onBuilt()
  }, [isBuilt, onBuilt])
  const advice = own
    ? 'The index is being built. The list appears when it is ready.'
    : module === null
      ? 'Select one platform and one module first: indexes belong to a module.'
      : !canIndex
        ? 'An operator can index this field to make sorting fast.'
        : indexed.length >= MAX_INDEXED_FIELDS
          ? `${module.module.module_name} already has the maximum of ${MAX_INDEXED_FIELDS} indexed fields (${indexed.map((field) => field.key).join(', ')}).`
          : 'Index this field to make sorting fast, or filter the list to fewer records.'
  const canOffer =
    key !== null && module !== null && canIndex && !own && indexed.length < MAX_INDEXED_FIELDS
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconArrowsSort />}
      title={`Sorting by ${column?.label ?? 'this field'} takes too long`}
      role="alert"
    >
      <Text size="sm">This field is not indexed. {advice}</Text>
      <Group mt="sm" gap="sm">
        {canOffer && (
          <Button size="xs" loading={isSending} onClick={() => void index(key)}>
            Index {column?.label}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onUnsort}>
          Sort by last update instead
        </Button>
      </Group>
    </Alert>
  )
}
