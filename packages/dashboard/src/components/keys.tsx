import { Kbd } from '@mantine/core'

/** Keys of the keyboard, each one in its frame. */
export function Keys({ names }: { names: readonly string[] }) {
  return names.map((name) => (
    <Kbd key={name} size="xs" mr={4}>
      {name}
    </Kbd>
  ))
}
