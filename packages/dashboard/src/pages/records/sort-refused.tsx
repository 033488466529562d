import { Alert, Button, Group, Text } from '@mantine/core'
import { MAX_INDEXED_FIELDS } from '@recordhub/protocol/constants'
import { IconArrowsSort } from '@tabler/icons-react'
import { useEffect } from 'react'
import type { Column, Place } from './columns.ts'
import { useIndexing } from './use-indexing.ts'

/** Says that the order asked for takes too long here, and what can be done about it. */
export function SortRefused({
  column,
  place,
  mayIndex,
  onUnsort,
  onBuilt,
}: {
  column: Column | null
  /** The module of the list, where it is one. */
  place: Place | null
  mayIndex: boolean
  onUnsort: () => void
  onBuilt: () => void
}) {
  const { indexed, index, isAsking } = useIndexing(place)
  const key = column?.id.startsWith('data.') ? column.exported : null
  const own = indexed.find((field) => field.key === key)
  const isBuilt = own?.is_built === true
  useEffect(() => {
    if (isBuilt) onBuilt()
  }, [isBuilt, onBuilt])
  const advice = own
    ? 'The index is being built. The list comes as soon as it is there.'
    : place === null
      ? 'Choose one platform and one module first: indexes belong to a module.'
      : !mayIndex
        ? 'An operator can have this field indexed, which makes sorting fast.'
        : indexed.length >= MAX_INDEXED_FIELDS
          ? `${place.module.module_name} has ${MAX_INDEXED_FIELDS} indexed fields already (${indexed.map((field) => field.key).join(', ')}), and no more are possible.`
          : 'Have the field indexed, which makes sorting fast, or filter the list to fewer records.'
  const mayOffer =
    key !== null && place !== null && mayIndex && !own && indexed.length < MAX_INDEXED_FIELDS
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconArrowsSort />}
      title={`Sorting by ${column?.label ?? 'this'} takes too long here`}
      role="alert"
    >
      <Text size="sm">No index has this order. {advice}</Text>
      <Group mt="sm" gap="sm">
        {mayOffer && (
          <Button size="xs" loading={isAsking} onClick={() => void index(key)}>
            Index {column?.label}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onUnsort}>
          Sort by last change instead
        </Button>
      </Group>
    </Alert>
  )
}
