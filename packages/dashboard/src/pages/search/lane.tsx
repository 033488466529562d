import { Badge, Card, Group, Loader, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** The results of one source, with its state. */
export function Lane({
  title,
  state,
  color,
  isSearching = false,
  aside,
  children,
}: {
  title: string
  /** A label: `Searching`, `3 found`. */
  state: string
  color: string
  isSearching?: boolean
  aside?: ReactNode
  children?: ReactNode
}) {
  const id = useId()
  return (
    <Card withBorder padding="md" component="section" aria-labelledby={id} aria-busy={isSearching}>
      <Group justify="space-between" gap="sm" mb={children ? 'sm' : 0}>
        <Group gap="sm">
          <Title order={2} fz="md" id={id}>
            {title}
          </Title>
          <Badge
            variant="light"
            color={color}
            tt="none"
            leftSection={isSearching ? <Loader size={10} color={color} aria-hidden /> : undefined}
          >
            {state}
          </Badge>
        </Group>
        {aside}
      </Group>
      {children}
    </Card>
  )
}
