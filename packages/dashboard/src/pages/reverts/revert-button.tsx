import { Button, type ButtonProps } from '@mantine/core'
import type { RevertScope } from '@recordhub/protocol'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useState } from 'react'
import { useHasRole } from '../../lib/use-has-role.ts'
import { PlanDialog } from './plan-dialog.tsx'

/** *Revert…*: opens the dialog of a scope. Renders nothing for viewers. */
export function RevertButton({
  scope,
  title,
  label = 'Revert…',
  ...props
}: ButtonProps & {
  scope: RevertScope
  title: string
  label?: string
}) {
  const canOperate = useHasRole('operator')
  const [isOpen, setOpen] = useState(false)
  if (!canOperate) return null
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconArrowBackUp size={14} aria-hidden />}
        {...props}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      {isOpen && <PlanDialog scope={scope} title={title} onClose={() => setOpen(false)} />}
    </>
  )
}
