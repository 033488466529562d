import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../../components/copy-button.tsx'
import { TEXTS } from '../../../texts.ts'

/** A hub API key in clear text, with a copy button. */
export function HubKeyView({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Stack>
      <Code block aria-label={TEXTS.hubApiKey} fz="sm">
        {value}
      </Code>
      <Text size="sm" c="dimmed">
        Give it to this platform only. This was logged.
      </Text>
      <Group justify="flex-end">
        <CopyButton value={value} label="Copy hub API key" text={TEXTS.copyKey} />
        <Button onClick={onClose}>{TEXTS.done}</Button>
      </Group>
    </Stack>
  )
}
