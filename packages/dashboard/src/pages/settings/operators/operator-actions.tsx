import { Button, Group } from '@mantine/core'
import type { Operator } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { PasswordDialog } from '../../../components/password-dialog.tsx'
import { TEXTS } from '../texts.tsx'

/** Actions of an admin on another operator. */
export function OperatorActions({
  operator,
  onChanged,
  onRemoved,
}: {
  operator: Operator
  onChanged: () => Promise<void>
  onRemoved: () => void
}) {
  const { id, name, disabled_at, second_factor, passkeys, sessions } = operator
  const [dialog, setDialog] = useState<'enable' | 'reset' | null>(null)
  const path = `/api/v1/operators/${id}`

  async function enable(password: string): Promise<void> {
    await callHub(path, { method: 'PATCH', body: { disabled: false, password } })
    await onChanged()
    setDialog(null)
    notify(TEXTS.enabledDone(name))
  }

  const disable = () =>
    confirm({
      title: TEXTS.disableTitle(name),
      children: TEXTS.disableMessage,
      action: TEXTS.disable,
      async onConfirm() {
        await callHub(path, { method: 'PATCH', body: { disabled: true } })
        await onChanged()
        notify(TEXTS.isDisabled(name))
      },
    })

  const endAll = () =>
    confirm({
      title: TEXTS.endAllSessionsTitle(name),
      children: TEXTS.endAllSessionsMessage,
      action: TEXTS.endAllSessions,
      async onConfirm() {
        await callHub(`${path}/sessions`, { method: 'DELETE' })
        await onChanged()
        notify(TEXTS.allSessionsHaveEnded)
      },
    })

  async function resetSecondFactor(password: string): Promise<void> {
    await callHub(`${path}/second-factor`, { method: 'DELETE', body: { password } })
    await onChanged()
    setDialog(null)
    notify(TEXTS.twoFactorWasReset)
  }

  const remove = () =>
    confirm({
      title: TEXTS.removeTitle(name),
      children: TEXTS.removeMessage,
      action: TEXTS.remove,
      async onConfirm() {
        await callHub(path, { method: 'DELETE' })
        onRemoved()
        await onChanged()
        notify(TEXTS.wasRemoved(name))
      },
    })

  return (
    <Group gap="xs">
      {sessions > 0 && (
        <Button variant="default" onClick={endAll}>
          {TEXTS.endAllSessions}
        </Button>
      )}
      {(second_factor || passkeys > 0) && (
        <Button variant="default" onClick={() => setDialog('reset')}>
          {TEXTS.resetTwoFactor}
        </Button>
      )}
      {disabled_at ? (
        <Button variant="default" onClick={() => setDialog('enable')}>
          {TEXTS.enable}
        </Button>
      ) : (
        <Button variant="default" onClick={disable}>
          {TEXTS.disable}
        </Button>
      )}
      <Button variant="subtle" color="red" onClick={remove}>
        {TEXTS.remove}
      </Button>
      {dialog === 'enable' && (
        <PasswordDialog
          title={TEXTS.enableTitle(name)}
          action={TEXTS.enable}
          onClose={() => setDialog(null)}
          onConfirm={enable}
        />
      )}
      {dialog === 'reset' && (
        <PasswordDialog
          title={TEXTS.resetTwoFactorTitle(name)}
          action={TEXTS.reset}
          danger
          onClose={() => setDialog(null)}
          onConfirm={resetSecondFactor}
        >
          {TEXTS.resetTwoFactorMessage}
        </PasswordDialog>
      )}
    </Group>
  )
}
