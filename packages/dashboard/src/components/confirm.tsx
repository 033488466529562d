import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { errorMessage } from '../api/call-hub.ts'
import { replacements } from '../api/session.ts'
import { createStore, useStore } from '../lib/store.ts'
import { TEXTS } from '../texts.ts'

type Confirmation = {
  title: string
  children: ReactNode
  /** The label of the confirming button. */
  action: string
  /** Red by default. */
  color?: string
  onConfirm: () => Promise<void> | void
}

/** Loaded with the first confirmation, so that the initial bundle does not contain it. */
const ConfirmDialog = lazy(() =>
  import('./confirm-dialog.tsx').then((file) => ({ default: file.ConfirmDialog })),
)

/** The confirmation on the screen, or the last one while its dialog closes. */
const current = createStore<{ confirmation: Confirmation; isOpen: boolean } | null>(null)

replacements.subscribe(() => {
  current.set(null)
  notifications.clean()
})

/** Opens a confirmation dialog before an action that cannot be undone. */
export function confirm(confirmation: Confirmation): void {
  current.set({ confirmation, isOpen: true })
}

/** Renders the dialogs of {@link confirm}. */
export function ConfirmHost() {
  const shown = useStore(current)
  if (shown === null) return null
  const { confirmation, isOpen } = shown
  const close = () => current.set({ confirmation, isOpen: false })
  const run = () => {
    // The button of a dialog that closes can still be clicked.
    if (current.get()?.isOpen !== true) return
    close()
    void attempt(confirmation.onConfirm)
  }
  return (
    <Suspense>
      <ConfirmDialog {...confirmation} opened={isOpen} onClose={close} onConfirm={run} />
    </Suspense>
  )
}

/** Runs an action and shows a notification if it fails. Returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown> | unknown): Promise<boolean> {
  try {
    await action()
    return true
  } catch (error) {
    notifications.show({
      color: 'red',
      autoClose: false,
      title: TEXTS.somethingWentWrong,
      message: errorMessage(error),
    })
    return false
  }
}

/** Runs {@link attempt}, and says that it is busy until the action has ended, so that its button cannot start it twice. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false)
  async function run(action: () => Promise<unknown> | unknown): Promise<boolean> {
    setBusy(true)
    const isDone = await attempt(action)
    setBusy(false)
    return isDone
  }
  return { isBusy, run }
}

/** Shows a notification after a successful action, with what can be done next. */
export function notify(message: string, next?: { label: string; onClick: () => unknown }): void {
  const color = 'green'
  if (!next) return void notifications.show({ color, message })
  const run = () => {
    notifications.hide(id)
    next.onClick()
  }
  const id = notifications.show({
    color,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{message}</span>
        <Button size="compact-sm" variant="subtle" onClick={run}>
          {next.label}
        </Button>
      </Group>
    ),
  })
}
