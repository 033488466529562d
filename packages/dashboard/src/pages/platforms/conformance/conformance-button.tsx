import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ConformanceLine } from '@recordhub/protocol'
import { IconClipboardCheck } from '@tabler/icons-react'
import { Dialog } from '../../../components/dialog.tsx'
import { useHubLines } from '../use-hub-lines.ts'
import { ConformanceReportView } from './conformance-report-view.tsx'
import { NOTHING, takeLine } from './conformance-state.ts'

/** Has a whole platform judged, and shows what is found as it comes. */
export function ConformanceButton({
  path,
  body,
  title,
}: {
  path: string
  body: unknown
  title: string
}) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const checking = useHubLines<typeof NOTHING, ConformanceLine>(NOTHING, takeLine)
  const check = () => void checking.run(path, body)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconClipboardCheck size={16} aria-hidden />}
        onClick={() => {
          open()
          check()
        }}
      >
        Check conformance
      </Button>
      <Dialog
        opened={isOpen}
        onClose={() => {
          close()
          checking.clear()
        }}
        title={title}
        size="xl"
      >
        <ConformanceReportView {...checking} onCheck={check} />
      </Dialog>
    </>
  )
}
