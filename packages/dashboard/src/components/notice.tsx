import { Alert, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A state that needs attention, with the action for it. */
export function Notice(props: { icon: ReactNode; action: ReactNode; children: ReactNode }) {
  const { icon, action, children } = props
  return (
    <Alert color="orange" variant="light" p="xs" pl="md" role="status" icon={icon}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex={1} miw={200}>
          {children}
        </Text>
        {action}
      </Group>
    </Alert>
  )
}
