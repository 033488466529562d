import { Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { TEXTS } from '../../texts.ts'
import classes from './entry-frame.module.css'

type EntryFrameProps = { title: string; description?: ReactNode; children: ReactNode }

/** The frame of the pages without a session. */
export function EntryFrame({ title, description, children }: EntryFrameProps) {
  useEffect(() => {
    document.title = `${title} · Recordhub`
  }, [title])
  return (
    <main id="main" className={classes['page']}>
      <Group gap="xs" fz="md" fw={650} lts="-0.01em">
        <img src="/assets/icon.svg" width={20} height={20} alt="" />
        {TEXTS.recordhub}
      </Group>
      <Paper withBorder className={classes['card'] ?? ''}>
        <div>
          <Title>{title}</Title>
          {description && (
            <Text size="sm" c="dimmed" mt={4}>
              {description}
            </Text>
          )}
        </div>
        {children}
      </Paper>
    </main>
  )
}
