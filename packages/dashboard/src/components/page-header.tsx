import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

/** The title of a page, which is also the title of the browser tab, with the actions of the page. */
export function PageHeader({
  title,
  description,
  children,
}: {
  title: string
  description?: ReactNode
  children?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Recordhub`
  }, [title])
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="md">
      <Stack gap={2}>
        <Title order={1} fz="h2">
          {title}
        </Title>
        {description && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
      </Stack>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
