import { Code, Group, Stack, Text } from '@mantine/core'
import type { Module } from '@recordhub/protocol'
import { CopyButton } from '../../components/copy-button.tsx'
import { examplePush } from './example-push.ts'

/** A push of a module's own fields, ready to be tried. */
export function PushExample({ module, hubApiKey }: { module: Module; hubApiKey: string | null }) {
  const command = examplePush(module, { hubUrl: location.origin, hubApiKey })
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          A first push of {module.module_name}
        </Text>
        <CopyButton value={command} label="Copy the example" words="Copy example" />
      </Group>
      <Code block tabIndex={0} aria-label="Example of a push">
        {command}
      </Code>
    </Stack>
  )
}
