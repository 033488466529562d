import { TextInput, type TextInputProps } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useUrlState } from '../../lib/url-state.ts'
import { useUrlText } from '../../lib/use-url-text.ts'

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
