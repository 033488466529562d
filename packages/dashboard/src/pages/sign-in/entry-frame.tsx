import { Center, Group, Image, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { TEXTS } from './texts.ts'

/** The frame of the pages without a session. */
export function EntryFrame({
  title,
  description,
  children,
}: {
  title: string
  description?: string
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Recordhub`
  }, [title])
  return (
    <Center component="main" id="main" mih="100vh" p="md">
      <Stack w="100%" maw={400}>
        <Group gap="xs" justify="center">
          <Image src="/assets/icon.svg" w={32} h={32} alt="" />
          <Text fw={700} fz="xl">
            {TEXTS.recordhub}
          </Text>
        </Group>
        <Paper withBorder p="lg" shadow="sm">
          <Title order={1} fz="h3" mb={description ? 4 : 'md'}>
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed" mb="md">
              {description}
            </Text>
          )}
          {children}
        </Paper>
      </Stack>
    </Center>
  )
}
