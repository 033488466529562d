import { Text } from '@mantine/core'
import { ModalsProvider, modals, useModals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { wordsOf } from '../api/call-hub.ts'
import { useCloseOnEscape } from '../lib/use-close-on-escape.ts'

/** Shows the questions of {@link confirm} over the page. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  return (
    <ModalsProvider>
      {children}
      <CloseOnEscape />
    </ModalsProvider>
  )
}

function CloseOnEscape() {
  const { modals: open, closeModal } = useModals()
  const topmost = open.at(-1)
  useCloseOnEscape(topmost !== undefined, () => topmost && closeModal(topmost.id, true))
  return null
}

/** Asks before something is done that cannot be taken back, naming what it does. */
export function confirm(question: {
  title: string
  children: ReactNode
  /** The word on the button: what is done. */
  action: string
  onConfirm: () => Promise<void> | void
}): void {
  modals.openConfirmModal({
    title: question.title,
    children:
      typeof question.children === 'string' ? (
        <Text size="sm">{question.children}</Text>
      ) : (
        question.children
      ),
    labels: { confirm: question.action, cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    onConfirm: () => void attempt(question.onConfirm),
  })
}

/** Does something and tells what went wrong, if so. True where it worked. */
export async function attempt(work: () => Promise<unknown> | unknown): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    notifications.show({ color: 'red', title: 'This did not work', message: wordsOf(error) })
    return false
  }
}

/** Tells in a corner that something was done. */
export function tell(message: string): void {
  notifications.show({ color: 'green', message })
}
