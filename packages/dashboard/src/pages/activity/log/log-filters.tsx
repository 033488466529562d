import { Select, TextInput } from '@mantine/core'
import { LocalTimeInput } from '../../../components/local-time-input.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { FilterBar } from '../filter-bar.tsx'
import { PlatformSelect } from '../platform-select.tsx'
import { SearchInput } from '../search-input.tsx'
import { LOG_FILTERS } from './use-log.ts'

const LEVELS = [
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Warning' },
  { value: 'error', label: 'Error' },
]

export function LogFilters() {
  const [state, change] = useUrlState()
  return (
    <FilterBar names={state['record'] ? [...LOG_FILTERS, 'record'] : LOG_FILTERS}>
      <SearchInput
        label="Text"
        placeholder="Search the log"
        maxLength={200}
        value={state['q'] ?? ''}
        onSearch={(q) => change({ q, cursor: null }, { replace: true })}
      />
      <PlatformSelect />
      <Select
        label="Level"
        placeholder="All"
        size="xs"
        clearable
        data={LEVELS}
        value={state['level'] ?? null}
        onChange={(level) => change({ level, cursor: null })}
      />
      <Select
        label="Kind"
        placeholder="All"
        size="xs"
        clearable
        data={kindChoices(state['kind'])}
        value={state['kind'] ?? null}
        onChange={(kind) => change({ kind, cursor: null })}
      />
      <TimeInput label="From" name="since" />
      <TimeInput label="To" name="until" />
      {state['record'] && (
        <TextInput label="Record" size="xs" value={state['record']} readOnly variant="filled" />
      )}
    </FilterBar>
  )
}

function TimeInput({ label, name }: { label: string; name: 'since' | 'until' }) {
  const [state, change] = useUrlState()
  return (
    <LocalTimeInput
      label={label}
      value={state[name]}
      onChange={(at) => change({ [name]: at, cursor: null }, { replace: true })}
    />
  )
}

/** Labels of the kinds of log entries. The hub filters by the first word of a kind. */
const KINDS: Readonly<Record<string, string>> = {
  push: 'Pushes',
  replay: 'Replays',
  rejected_push: 'Dismissed rejected pushes',
  pull: 'Pulls',
  pull_task: 'Pulled modules',
  missing: 'Missing records',
  record: 'Erased records',
  tombstone: 'Lifted erasures',
  platform: 'Platforms',
  module: 'Modules',
  manifest: 'Manifests',
  schedule: 'Schedule',
  alert: 'Alerts',
}

/** The choices of the filter by kind, with the one of a link if it is unknown. */
export function kindChoices(chosen: string | undefined): { value: string; label: string }[] {
  const known = Object.entries(KINDS).map(([value, label]) => ({ value, label }))
  const isOther = chosen !== undefined && chosen !== '' && !(chosen in KINDS)
  return isOther ? [...known, { value: chosen, label: chosen }] : known
}
