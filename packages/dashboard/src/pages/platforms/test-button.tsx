import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ConnectionTest, Platform } from '@recordhub/protocol'
import { IconPlugConnected } from '@tabler/icons-react'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { CheckList } from './check-list.tsx'
import { useConnectionChecks } from './use-connection-checks.ts'

/** Tries everything that the hub asks a registered platform for. */
export function TestButton({ platform }: { platform: Platform }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const { checks, answer, isRunning, error, run, clear } = useConnectionChecks<ConnectionTest>()
  const test = () => void run(`/api/v1/platforms/${platform.id}/test`, {})
  const nameOf = (type: string) =>
    platform.modules.find((one) => one.record_type === type)?.module_name ?? type
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={16} aria-hidden />}
        onClick={() => {
          open()
          test()
        }}
      >
        Test connection
      </Button>
      <Dialog
        opened={isOpen}
        onClose={() => {
          close()
          clear()
        }}
        title={`Connection to ${platform.display_title}`}
        size="lg"
      >
        <CheckList checks={checks} isRunning={isRunning} nameOf={nameOf} />
        {error !== null && <ErrorNotice error={error} onRetry={test} />}
        {answer && (
          <Text size="sm" mt="md" fw={600} role="status">
            {answer.success
              ? 'All is in order. Nothing was stored.'
              : 'Not all is in order. Nothing was stored.'}
          </Text>
        )}
        {answer && (
          <Button mt="md" variant="default" onClick={test}>
            Test again
          </Button>
        )}
      </Dialog>
    </>
  )
}
