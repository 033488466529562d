/** Asks why something is reverted, and makes the plan, which its page shows. */
import { Stack, Text, TextInput } from '@mantine/core'
import type { RevertScope } from '@recordhub/protocol'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { errorMessage } from '../../api/call-hub.ts'
import { planRevert } from '../../api/reverts.ts'
import { Dialog } from '../../components/dialog.tsx'
import { FormActions } from '../../components/form-actions.tsx'
import { LocalTimeInput } from '../../components/local-time-input.tsx'
import { useSubmit } from '../../lib/use-submit.ts'

const MAX_REASON = 500
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The dialog of the pushes of a platform, which asks for the period. */
export function PushesPlanDialog({
  platform,
  title,
  onClose,
}: {
  platform: string
  title: string
  onClose: () => void
}) {
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
export function PlanDialog({
  title,
  scope,
  onClose,
  children,
}: {
  title: string
  /** Null while the form is not complete. */
  scope: RevertScope | null
  onClose: () => void
  /** More inputs. */
  children?: ReactNode
}) {
  const navigate = useNavigate()
  const [errorText, setErrorText] = useState('')
  const { isBusy, onSubmit } = useSubmit(async (field) => {
    if (scope === null) return
    setErrorText('')
    try {
      const { id } = await planRevert(scope, field('reason').trim())
      onClose()
      await navigate({ to: '/dashboard/reverts/$id', params: { id: String(id) } })
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form onSubmit={onSubmit}>
        <Stack>
          {children}
          <TextInput
            label="Reason"
            description="Saved with the revert and in the audit log. Do not enter personal data."
            name="reason"
            required
            maxLength={MAX_REASON}
            data-autofocus
          />
          <Text size="sm" c="dimmed">
            The hub first makes a plan. Nothing changes until you start it.
          </Text>
          <FormActions
            error={errorText}
            action="Make the plan"
            isBusy={isBusy}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
