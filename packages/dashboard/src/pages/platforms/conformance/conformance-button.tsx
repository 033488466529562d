import { Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ConformanceLine } from '@recordhub/protocol'
import { IconClipboardCheck } from '@tabler/icons-react'
import { Dialog } from '../../../components/dialog.tsx'
import { TEXTS } from '../texts.tsx'
import { useHubLines } from '../use-hub-lines.ts'
import { ConformanceReportView } from './conformance-report-view.tsx'
import { applyLine, INITIAL } from './conformance-state.ts'

/** Starts a conformance check of a platform and shows its findings as they arrive. */
export function ConformanceButton({
  path,
  body,
  title,
  isItem = false,
}: {
  path: string
  body: unknown
  title: string
  /** An item of a menu. */
  isItem?: boolean
}) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const conformance = useHubLines<typeof INITIAL, ConformanceLine>(INITIAL, applyLine)
  const Target = isItem ? Menu.Item : Button
  const check = () => void conformance.run(path, body)
  return (
    <>
      <Target
        {...(isItem ? {} : { variant: 'default' })}
        leftSection={<IconClipboardCheck size={16} aria-hidden />}
        onClick={() => {
          open()
          check()
        }}
      >
        {TEXTS.checkConformance}
      </Target>
      <Dialog
        opened={isOpen}
        onClose={() => {
          close()
          conformance.clear()
        }}
        title={title}
        size="xl"
      >
        <ConformanceReportView {...conformance} onCheck={check} />
      </Dialog>
    </>
  )
}
