import { Alert, Code, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { TEXTS } from './texts.tsx'

/** A secret that is shown only once. */
export function SecretOnce({
  title,
  value,
  label,
  children,
}: {
  title: string
  value: string
  /** The noun in the label of the copy button. */
  label: string
  children?: ReactNode
}) {
  return (
    <Alert variant="light" title={title} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{children}</Text>
        <Code
          block
          w="100%"
          fz={{ base: 'xs', sm: 'sm' }}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          data-secret={label}
        >
          {value}
        </Code>
        <Group>
          <CopyButton value={value} label={TEXTS.copyNamed(label)} text={TEXTS.copyNamed(label)} />
        </Group>
      </Stack>
    </Alert>
  )
}
