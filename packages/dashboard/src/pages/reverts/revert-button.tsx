/** *Revert…*, and its dialog, which asks for the reason and makes the plan, which its page shows. */
import { Button, type ButtonProps, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { RevertScope } from '@recordhub/protocol'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { planRevert } from '../../api/reverts.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { LocalTimeInput } from '../../components/local-time-input.tsx'
import { useHasRole } from '../../lib/use-has-role.ts'

/** Opens the dialog of a scope. Renders nothing for viewers. */
export function RevertButton({
  scope,
  title,
  label = 'Revert…',
  ...props
}: ButtonProps & { scope: RevertScope; title: string; label?: string }) {
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

const MAX_REASON = 500
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type PushesPlanDialogProps = { platform: string; title: string; onClose: () => void }

/** The dialog of the pushes of a platform, which asks for the period. */
export function PushesPlanDialog({ platform, title, onClose }: PushesPlanDialogProps) {
  const [from, setFrom] = useState<string | null>(() =>
    new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS).toISOString(),
  )
  const [to, setTo] = useState<string | null>(() =>
    // What the input shows has no seconds.
    new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS).toISOString(),
  )
  const isPeriod = from !== null && to !== null && from < to
  return (
    <PlanDialog title={title} onClose={onClose} scope={isPeriod ? { platform, from, to } : null}>
      <LocalTimeInput
        size="sm"
        label="From"
        required
        value={from ?? undefined}
        onChange={setFrom}
      />
      <LocalTimeInput
        size="sm"
        label="Before"
        required
        value={to ?? undefined}
        onChange={setTo}
        error={from !== null && to !== null && from >= to && 'The end must be after the start.'}
      />
    </PlanDialog>
  )
}

/** The dialog of a scope. */
export function PlanDialog(props: {
  title: string
  /** Null while the form is not complete. */
  scope: RevertScope | null
  onClose: () => void
  /** More inputs. */
  children?: ReactNode
}) {
  const { title, scope, onClose, children } = props
  const navigate = useNavigate()
  const form = useForm({ mode: 'uncontrolled', initialValues: { reason: '' } })
  return (
    <FormDialog
      form={form}
      title={title}
      action="Make the plan"
      onClose={onClose}
      onSubmit={async ({ reason }) => {
        if (scope === null) return
        const { id } = await planRevert(scope, reason.trim())
        onClose()
        await navigate({ to: '/dashboard/reverts/$id', params: { id: String(id) } })
      }}
    >
      {children}
      <TextInput
        label="Reason"
        description="Saved with the revert and in the audit log. Do not enter personal data."
        required
        maxLength={MAX_REASON}
        data-autofocus
        {...form.getInputProps('reason')}
      />
      <Text size="sm" c="dimmed">
        The hub first makes a plan. Nothing changes until you start it.
      </Text>
    </FormDialog>
  )
}
