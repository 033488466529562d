import { Button, type ButtonProps, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ConnectionTest, Module } from '@recordhub/protocol'
import { IconPlugConnected } from '@tabler/icons-react'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { CheckList } from './check-list.tsx'
import { useConnectionChecks } from './use-hub-lines.ts'

/** Tests the connection to a registered platform: ping and manifest first, and every endpoint on request. Only for operators. */
export function TestButton({
  platform,
  label = TEXTS.testConnection,
  ...props
}: {
  /** Without its modules, the checks name their record types. */
  platform: { id: number; display_title: string; modules?: readonly Module[] }
  label?: string
} & ButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const { checks, result, isRunning, error, run, clear } = useConnectionChecks<ConnectionTest>()
  const test = (check_everything: boolean) =>
    void run(`/api/v1/platforms/${platform.id}/test`, { check_everything })
  const canOperate = useHasRole('operator')
  if (!canOperate) return null
  const nameOf = (type: string) =>
    platform.modules?.find((one) => one.record_type === type)?.module_name ?? type
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={16} aria-hidden />}
        {...props}
        onClick={() => {
          open()
          test(false)
        }}
      >
        {label}
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
        {error !== null && <ErrorNotice error={error} onRetry={() => test(false)} />}
        {result && (
          <Text size="sm" mt="md" fw={600} role="status">
            {result.success ? 'All checks passed.' : 'Some checks failed.'} Nothing was saved.
          </Text>
        )}
        {result && (
          <Group mt="md" gap="xs">
            <Button variant="default" onClick={() => test(false)}>
              Test again
            </Button>
            <Button variant="default" onClick={() => test(true)}>
              Check everything
            </Button>
          </Group>
        )}
      </Dialog>
    </>
  )
}
