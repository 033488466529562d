import {
  Box,
  Button,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
  ThemeIcon,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustmentsHorizontal, IconBulb, IconSearch, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { usePlatforms } from '../../api/platforms.ts'
import { addUnknown, type Choice, platformChoices } from '../../lib/choices.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { useUrlText } from '../../lib/use-url-text.ts'
import { TEXTS } from '../../texts.ts'

/** The filters of a list: one row on wide screens, behind a button on a phone. */
export function FilterBar({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const [state, change] = useUrlState()
  const [isOpen, { toggle }] = useDisclosure(false)
  const set = names.filter((name) => state[name])
  const clear = () => change(Object.fromEntries(['cursor', ...names].map((name) => [name, null])))
  return (
    <Box component="search" aria-label={TEXTS.filters} mb="sm">
      <Group hiddenFrom="sm" mb="xs">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconAdjustmentsHorizontal size={14} />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {set.length > 0 ? `Filters (${set.length})` : TEXTS.filters}
        </Button>
      </Group>
      <Box {...(isOpen ? {} : { visibleFrom: 'sm' })}>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: names.length }} spacing="xs" verticalSpacing="xs">
          {children}
        </SimpleGrid>
      </Box>
      {set.length > 0 && (
        <Button
          variant="subtle"
          size="compact-xs"
          mt={6}
          leftSection={<IconX size={12} />}
          onClick={clear}
        >
          Clear filters
        </Button>
      )}
    </Box>
  )
}

/** Advice on how to resolve a problem. */
export function AdviceLine({ text }: { text: string }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <ThemeIcon variant="transparent" color="gray" size={20} aria-hidden>
        <IconBulb size={16} />
      </ThemeIcon>
      <Text size="sm">{text}</Text>
    </Group>
  )
}

/** Shown while a list loads. */
export function ListSkeleton({ height = 38, rows = 10 }: { height?: number; rows?: number }) {
  return (
    <Stack gap={6} aria-busy="true" aria-label={TEXTS.loading} role="status">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <Skeleton key={row} height={height} />
      ))}
    </Stack>
  )
}

/**
 * A filter by a choice, in a parameter of the URL. A value of a link that is no choice is shown as it is. `clears`: other
 * parameters that a change resets.
 */
export function SelectFilter(props: {
  label: string
  name: string
  choices: Choice[]
  searchable?: boolean
  nothingFound?: string
  clears?: readonly string[]
}) {
  const { label, name, choices, searchable = false, nothingFound, clears = [] } = props
  const [state, change] = useUrlState()
  const value = state[name] ?? null
  return (
    <Select
      label={label}
      placeholder={TEXTS.all}
      size="xs"
      clearable
      searchable={searchable}
      data={addUnknown(choices, value)}
      value={value}
      nothingFoundMessage={nothingFound}
      onChange={(chosen) => {
        const cleared = Object.fromEntries(['cursor', ...clears].map((one) => [one, null]))
        change({ ...cleared, [name]: chosen })
      }}
    />
  )
}

export function PlatformSelect({ clears = [] }: { clears?: readonly string[] }) {
  const { data: platforms = [] } = usePlatforms()
  return (
    <SelectFilter
      label={TEXTS.platform}
      name="platform"
      choices={platformChoices(platforms)}
      searchable
      nothingFound={TEXTS.noMatchingPlatforms}
      clears={clears}
    />
  )
}

/** A filter by the `request_id` of a response. */
export function RequestIdInput() {
  const [state, change] = useUrlState()
  return (
    <SearchInput
      label="Request ID"
      placeholder="From the response"
      value={state['request_id'] ?? ''}
      onSearch={(text) =>
        change({ request_id: text.trim() || null, cursor: null }, { replace: true })
      }
    />
  )
}

/** Calls `onSearch` after a pause in typing, and follows other changes of the URL. */
export function SearchInput({
  value,
  onSearch,
  ...props
}: { value: string; onSearch: (text: string) => void } & Omit<
  TextInputProps,
  'value' | 'onChange'
>) {
  const [text, type] = useUrlText(value, onSearch)
  return (
    <TextInput
      type="search"
      size="xs"
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      {...props}
    />
  )
}

/** The filter by state, stored in the URL. The first choice is the default. */
export function StateControl(props: {
  label: string
  choices: { value: string; label: string }[]
}) {
  const { label, choices } = props
  const [state, change] = useUrlState()
  const first = choices[0]?.value ?? ''
  return (
    <SegmentedControl
      size="xs"
      aria-label={label}
      data={choices}
      value={state['state'] ?? first}
      onChange={(chosen) => change({ state: chosen === first ? null : chosen, cursor: null })}
    />
  )
}
