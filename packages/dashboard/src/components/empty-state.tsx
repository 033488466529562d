import { Box, Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Shown instead of an empty list, with the next step. */
export function EmptyState(props: {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  const { icon, title, children, action } = props
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      {icon && (
        <Box c="var(--text-3)" lh={0} aria-hidden>
          {icon}
        </Box>
      )}
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" c="dimmed" maw={460}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}

/** Shown instead of a list of which the filters leave nothing. */
export function NoMatches(props: {
  icon?: ReactNode
  title: string
  children?: ReactNode
  onClear: () => void
}) {
  const { onClear, ...others } = props
  const clear = (
    <Button variant="default" onClick={onClear}>
      Clear the filters
    </Button>
  )
  return <EmptyState {...others} action={clear} />
}
