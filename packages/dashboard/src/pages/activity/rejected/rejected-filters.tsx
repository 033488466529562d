import { Select, TextInput } from '@mantine/core'
import { usePlatforms } from '../../../api/platforms.ts'
import { addUnknown, moduleChoices } from '../../../lib/choices.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { FilterBar } from '../filter-bar.tsx'
import { PlatformSelect } from '../platform-select.tsx'
import { RequestIdInput, SearchInput } from '../search-input.tsx'
import { TEXTS } from '../texts.tsx'
import { defaultState, REJECTED_FILTERS } from './use-rejected.ts'

const STATES = [
  { value: 'open', label: TEXTS.notReplayed },
  { value: 'replayed', label: TEXTS.replayed },
  { value: 'all', label: TEXTS.all },
]
const SHOWN = ['platform', 'record_type', 'code', 'state', 'pull', 'request_id']

/** @param recordTypes the record types of the rejected pushes, which may belong to no module. */
export function RejectedFilters({
  codes,
  recordTypes,
}: {
  codes: string[]
  recordTypes: string[]
}) {
  const [state, change] = useUrlState()
  const { data: platforms = [] } = usePlatforms()
  const { code, platform = null, record_type = null } = state
  const types = record_type === null ? recordTypes : [...recordTypes, record_type]
  const modules = types.reduce(addUnknown, moduleChoices(platforms, platform))
  const known = code && !codes.includes(code) ? [...codes, code] : codes
  const names = state['cause'] ? [...SHOWN, 'cause'] : SHOWN
  return (
    <FilterBar names={REJECTED_FILTERS.filter((name) => names.includes(name))}>
      <PlatformSelect clears={['cause']} />
      <Select
        label={TEXTS.module}
        placeholder={TEXTS.all}
        size="xs"
        clearable
        searchable
        data={modules}
        value={record_type}
        onChange={(chosen) => change({ record_type: chosen, cause: null, cursor: null })}
      />
      <Select
        label={TEXTS.code}
        placeholder={TEXTS.all}
        size="xs"
        clearable
        data={known}
        value={code ?? null}
        onChange={(chosen) => change({ code: chosen, cause: null, cursor: null })}
      />
      <Select
        label={TEXTS.state}
        size="xs"
        allowDeselect={false}
        data={STATES}
        value={state['state'] ?? defaultState(state)}
        onChange={(chosen) =>
          change({ state: chosen === defaultState(state) ? null : chosen, cursor: null })
        }
      />
      <SearchInput
        label={TEXTS.pull}
        placeholder={TEXTS.number}
        inputMode="numeric"
        value={state['pull'] ?? ''}
        onSearch={(text) => {
          const number = /^[1-9]\d{0,14}$/.test(text.trim()) ? text.trim() : null
          change({ pull: number, cursor: null }, { replace: true })
        }}
      />
      <RequestIdInput />
      {state['cause'] && (
        <TextInput
          label={TEXTS.cause}
          size="xs"
          value={TEXTS.selectedAbove}
          readOnly
          variant="filled"
        />
      )}
    </FilterBar>
  )
}
