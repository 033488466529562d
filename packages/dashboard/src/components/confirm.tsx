import { notifications } from '@mantine/notifications'
import { lazy, type ReactNode, Suspense } from 'react'
import { wordsOf } from '../api/call-hub.ts'
import { createStore } from '../lib/store.ts'
import { useStore } from '../lib/use-store.ts'

export type Question = {
  title: string
  children: ReactNode
  /** The label of the button: what is done. */
  action: string
  /** Red for what cannot be undone. */
  color?: string
  onConfirm: () => Promise<void> | void
}

/** Loaded with the first question, so that no page waits for it. */
const ConfirmDialog = lazy(() =>
  import('./confirm-dialog.tsx').then((file) => ({ default: file.ConfirmDialog })),
)

/** The question on the screen, or the last one while its dialog closes. */
const asked = createStore<{ question: Question; isOpen: boolean } | null>(null)

/** Asks before something is done that cannot be undone, naming what it does. */
export function confirm(question: Question): void {
  asked.set({ question, isOpen: true })
}

/** Shows the questions of {@link confirm} over the page. */
export function ConfirmHost() {
  const current = useStore(asked)
  if (current === null) return null
  const { question, isOpen } = current
  const close = () => asked.set({ question, isOpen: false })
  const answer = () => {
    close()
    void attempt(question.onConfirm)
  }
  return (
    <Suspense>
      <ConfirmDialog {...question} opened={isOpen} onClose={close} onConfirm={answer} />
    </Suspense>
  )
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
