import { Alert, Button, Group, Text } from '@mantine/core'
import { MAX_INDEXED_FIELDS } from '@recordhub/protocol/constants'
import { IconArrowsSort } from '@tabler/icons-react'
import { useEffect } from 'react'
import type { Column, ListedModule } from './columns.ts'
import { TEXTS } from './texts.tsx'
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
  const key = column?.id.startsWith('data.') ? column.exported : null
  const own = indexed.find((field) => field.key === key)
  const isBuilt = own?.is_built === true
  useEffect(() => {
    if (isBuilt) onBuilt()
  }, [isBuilt, onBuilt])
  const advice = own
    ? TEXTS.indexBeingBuilt
    : module === null
      ? TEXTS.selectOneModuleFirst
      : !canIndex
        ? TEXTS.operatorCanIndex
        : indexed.length >= MAX_INDEXED_FIELDS
          ? TEXTS.maxIndexedFields(
              module.module.module_name,
              MAX_INDEXED_FIELDS,
              indexed.map((field) => field.key).join(', '),
            )
          : TEXTS.indexOrFilter
  const canOffer =
    key !== null && module !== null && canIndex && !own && indexed.length < MAX_INDEXED_FIELDS
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconArrowsSort />}
      title={TEXTS.sortingTakesTooLong(column?.label ?? TEXTS.thisField)}
      role="alert"
    >
      <Text size="sm">{TEXTS.fieldNotIndexed(advice)}</Text>
      <Group mt="sm" gap="sm">
        {canOffer && (
          <Button size="xs" loading={isSending} onClick={() => void index(key)}>
            {TEXTS.indexField(column?.label)}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onUnsort}>
          {TEXTS.sortByLastUpdate}
        </Button>
      </Group>
    </Alert>
  )
}
