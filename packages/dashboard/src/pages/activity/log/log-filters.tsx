import { Select, TextInput } from '@mantine/core'
import { LocalTimeInput } from '../../../components/local-time-input.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { FilterBar } from '../filter-bar.tsx'
import { PlatformSelect } from '../platform-select.tsx'
import { SearchInput } from '../search-input.tsx'
import { TEXTS } from '../texts.tsx'
import { LOG_FILTERS } from './use-log.ts'

const LEVELS = [
  { value: 'info', label: TEXTS.info },
  { value: 'warning', label: TEXTS.warning },
  { value: 'error', label: TEXTS.error },
]

export function LogFilters() {
  const [state, change] = useUrlState()
  return (
    <FilterBar names={state['record'] ? [...LOG_FILTERS, 'record'] : LOG_FILTERS}>
      <SearchInput
        label={TEXTS.text}
        placeholder={TEXTS.searchTheLog}
        maxLength={200}
        value={state['q'] ?? ''}
        onSearch={(q) => change({ q, cursor: null }, { replace: true })}
      />
      <PlatformSelect />
      <Select
        label={TEXTS.level}
        placeholder={TEXTS.all}
        size="xs"
        clearable
        data={LEVELS}
        value={state['level'] ?? null}
        onChange={(level) => change({ level, cursor: null })}
      />
      <Select
        label={TEXTS.kind}
        placeholder={TEXTS.all}
        size="xs"
        clearable
        data={kindChoices(state['kind'])}
        value={state['kind'] ?? null}
        onChange={(kind) => change({ kind, cursor: null })}
      />
      <TimeInput label={TEXTS.from} name="since" />
      <TimeInput label={TEXTS.to} name="until" />
      {state['record'] && (
        <TextInput
          label={TEXTS.record}
          size="xs"
          value={state['record']}
          readOnly
          variant="filled"
        />
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
  push: TEXTS.pushes,
  replay: TEXTS.replays,
  rejected_push: TEXTS.dismissedRejectedPushes,
  pull: TEXTS.pulls,
  pull_task: TEXTS.pulledModules,
  missing: TEXTS.missingRecords,
  record: TEXTS.erasedRecords,
  tombstone: TEXTS.deletedTombstones,
  platform: TEXTS.platforms,
  module: TEXTS.modules,
  manifest: TEXTS.manifests,
  schedule: TEXTS.schedule,
  alert: TEXTS.alerts,
}

/** The choices of the filter by kind, with the one of a link if it is unknown. */
function kindChoices(chosen: string | undefined): { value: string; label: string }[] {
  const known = Object.entries(KINDS).map(([value, label]) => ({ value, label }))
  const isOther = chosen !== undefined && chosen !== '' && !(chosen in KINDS)
  return isOther ? [...known, { value: chosen, label: chosen }] : known
}
