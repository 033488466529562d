import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 300

/** Tells what is typed once somebody pauses, and follows the URL when it changes otherwise. */
export function SearchInput({
  value,
  onSearch,
  ...props
}: { value: string; onSearch: (text: string) => void } & Omit<
  TextInputProps,
  'value' | 'onChange'
>) {
  const [text, setText] = useState(value)
  const told = useRef(value)
  const tell = useDebouncedCallback((next: string) => {
    told.current = next
    onSearch(next)
  }, PAUSE_MS)
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setText(value)
  }, [value])
  return (
    <TextInput
      type="search"
      size="xs"
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        tell(currentTarget.value)
      }}
      {...props}
    />
  )
}
