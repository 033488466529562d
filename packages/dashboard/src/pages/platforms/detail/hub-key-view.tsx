import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../../components/copy-button.tsx'
import { TEXTS } from './texts.tsx'

/** A hub API key in clear text, with a copy button. */
export function HubKeyView({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Stack>
      <Code block aria-label={TEXTS.hubApiKey} fz="sm">
        {value}
      </Code>
      <Text size="sm" c="dimmed">
        {TEXTS.hubApiKeyShown}
      </Text>
      <Group justify="flex-end">
        <CopyButton value={value} label={TEXTS.copyHubApiKey} text={TEXTS.copyKey} />
        <Button onClick={onClose}>{TEXTS.done}</Button>
      </Group>
    </Stack>
  )
}
