import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ConformanceLine } from '@recordhub/protocol'
import { IconClipboardCheck } from '@tabler/icons-react'
import { Dialog } from '../../../components/dialog.tsx'
import { TEXTS } from '../../../texts.ts'
import { useHubLines } from '../use-hub-lines.ts'
import { ConformanceReportView } from './conformance-report-view.tsx'
import { applyLine, INITIAL } from './conformance-state.ts'

type Check = { path: string; body: unknown; title: string }

/** Starts a conformance check of a platform and shows its findings as they arrive. */
export function ConformanceButton(check: Check) {
  const { start, dialog } = useConformanceCheck(check)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconClipboardCheck size={16} aria-hidden />}
        onClick={start}
      >
        {TEXTS.checkConformance}
      </Button>
      {dialog}
    </>
  )
}

/** @returns the dialog apart, because a menu hides what is in it when it closes. */
export function useConformanceCheck({ path, body, title }: Check) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const conformance = useHubLines<typeof INITIAL, ConformanceLine>(INITIAL, applyLine)
  const check = () => void conformance.run(path, body)
  const dialog = (
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
  )
  const start = () => {
    open()
    check()
  }
  return { start, dialog }
}
