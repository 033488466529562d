import { Select, TextInput } from '@mantine/core'
import { fromLocalInput, toLocalInput } from '../../../lib/local-time.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { FilterBar } from '../filter-bar.tsx'
import { kindChoices } from '../kinds.ts'
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
        placeholder="Words in a line"
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
    <TextInput
      type="datetime-local"
      label={label}
      size="xs"
      value={toLocalInput(state[name])}
      onChange={({ currentTarget }) => {
        change({ [name]: fromLocalInput(currentTarget.value), cursor: null }, { replace: true })
      }}
    />
  )
}
