import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../../components/copy-button.tsx'

/** A hub API key in clear text, with a copy button. */
export function HubKeyView({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Stack>
      <Code block aria-label="Hub API key" fz="sm">
        {value}
      </Code>
      <Text size="sm" c="dimmed">
        Give it to this platform only. The display was logged.
      </Text>
      <Group justify="flex-end">
        <CopyButton value={value} label="Copy hub API key" text="Copy key" />
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}
