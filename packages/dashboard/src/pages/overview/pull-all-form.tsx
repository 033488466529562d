import { Button, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { mayActAs, session } from '../../api/session.ts'
import { attempt } from '../../components/confirm.tsx'
import { useStore } from '../../lib/use-store.ts'
import { PULL_ALL_PATH, startPull } from '../pulls/start-pull.ts'

/** The Pull All form of the specification (4.1): its button sends by AJAX, never the form itself. */
export function PullAllForm() {
  const { operator } = useStore(session)
  const [isStarting, setStarting] = useState(false)
  const may = operator === null || mayActAs(operator.role, 'operator')
  async function start() {
    setStarting(true)
    await attempt(startPull)
    setStarting(false)
  }
  return (
    <form
      method="post"
      action={PULL_ALL_PATH}
      data-ajax-form="pull-all-records"
      onSubmit={(event) => event.preventDefault()}
    >
      <Stack gap={4} align="flex-start">
        <Button
          type="button"
          leftSection={<IconDownload size={16} />}
          loading={isStarting}
          disabled={!may}
          onClick={start}
        >
          Pull all existing records
        </Button>
        {!may && (
          <Text size="xs" c="dimmed">
            Your role may not start pulls. Ask an operator.
          </Text>
        )}
      </Stack>
    </form>
  )
}
