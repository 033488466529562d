import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../../components/copy-button.tsx'

/** A hub API key in the open, to be copied. */
export function ShownKey({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Stack>
      <Code block aria-label="Hub API key" fz="sm">
        {value}
      </Code>
      <Text size="sm" c="dimmed">
        Give it to this platform only. That it was shown is written down.
      </Text>
      <Group justify="flex-end">
        <CopyButton value={value} label="Copy the hub API key" words="Copy key" />
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}
