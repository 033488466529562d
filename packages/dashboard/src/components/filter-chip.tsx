import { Button, Popover, Select, Stack, UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { usePlatforms } from '../api/platforms.ts'
import { addUnknown, type Choice, platformChoices } from '../lib/choices.ts'
import { formatClock } from '../lib/format.ts'
import { useUrlState } from '../lib/url-state.ts'
import { Dot, type DotColor } from './dot.tsx'
import classes from './filter-chip.module.css'
import { LocalTimeInput } from './local-time-input.tsx'

/** The filters of a list in one line, which scrolls sideways on a phone. */
export function FilterChips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search className={classes['chips']} aria-label={label}>
      {children}
    </search>
  )
}

/** A filter that one click sets, with the number of rows that it leaves. */
export function FilterChip(props: {
  label: string
  count?: string
  /** The colour of the state that it filters by. */
  dot?: DotColor
  isPressed: boolean
  onClick: () => void
}) {
  const { label, count, dot, isPressed, onClick } = props
  return (
    <UnstyledButton className={classes['chip'] ?? ''} aria-pressed={isPressed} onClick={onClick}>
      {dot && <Dot color={dot} />}
      <span className={classes['label']}>{label}</span>
      {count !== undefined && <span className={classes['count']}>{count}</span>}
    </UnstyledButton>
  )
}

/** A filter of one parameter of the URL by a choice. A value of a link that is no choice is shown as it is. */
export function FilterSelect(props: { label: string; name: string; choices: readonly Choice[] }) {
  const { label, name, choices } = props
  const [state, change] = useUrlState()
  const value = state[name] || null
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={addUnknown([...choices], value)}
      value={value}
      onChange={(chosen) => change({ [name]: chosen, cursor: null })}
      clearable
      searchable
      nothingFoundMessage="Nothing found"
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      rightSection={value === null ? <IconChevronDown size={14} aria-hidden /> : undefined}
      rightSectionPointerEvents={value === null ? 'none' : 'all'}
      className={classes['select'] ?? ''}
      data-set={value !== null || undefined}
    />
  )
}

export function FilterPlatform() {
  const { data: platforms = [] } = usePlatforms()
  return <FilterSelect label="Platform" name="platform" choices={platformChoices(platforms)} />
}

const SPANS = [
  { label: 'Last hour', hours: 1 },
  { label: 'Last 24 hours', hours: 24 },
  { label: 'Last 7 days', hours: 168 },
  { label: 'Last 30 days', hours: 720 },
]

/** The filter by time, in `since` and `until` of the URL; the spans that the list keeps are offered. */
export function FilterTime({ maxHours }: { maxHours: number }) {
  const [{ since, until }, change] = useUrlState()
  const isSet = since !== undefined || until !== undefined
  const setTo = (times: { since?: string | null; until?: string | null }) =>
    change({ ...times, cursor: null }, { replace: true })
  return (
    <Popover withinPortal trapFocus shadow="md" position="bottom-start">
      <Popover.Target>
        <UnstyledButton className={classes['chip'] ?? ''} data-set={isSet || undefined}>
          <span className={classes['label']}>{timeLabel(since, until)}</span>
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filter by time">
        <Stack gap="xs">
          {SPANS.filter(({ hours }) => hours <= maxHours).map(({ label, hours }) => (
            <Button
              key={label}
              size="xs"
              variant="default"
              onClick={() => {
                const start = new Date(Date.now() - hours * 3_600_000)
                setTo({ since: start.toISOString(), until: null })
              }}
            >
              {label}
            </Button>
          ))}
          <LocalTimeInput label="From" value={since} onChange={(at) => setTo({ since: at })} />
          <LocalTimeInput label="To" value={until} onChange={(at) => setTo({ until: at })} />
          {isSet && (
            <Button size="xs" variant="subtle" onClick={() => setTo({ since: null, until: null })}>
              Any time
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** A period, as the filter by time shows it. */
export function timeLabel(since: string | undefined, until: string | undefined): string {
  const text = (at: string) => (Number.isNaN(Date.parse(at)) ? at : formatClock(at, Date.now()))
  if (since !== undefined && until !== undefined) return `${text(since)} to ${text(until)}`
  if (since !== undefined) return `Since ${text(since)}`
  return until === undefined ? 'Time' : `Until ${text(until)}`
}
