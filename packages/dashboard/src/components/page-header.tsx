import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useInboxCount } from '../api/inbox.ts'

/** Sets the title of the browser tab, which begins with the number of items in the inbox. */
export function useTabTitle(title: string): void {
  const count = useInboxCount()
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · Recordhub`
  }, [title, count])
}

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
  useTabTitle(title)
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
