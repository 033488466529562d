import { Button, Code, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog, DialogFooter } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useAction } from '../../../lib/use-action.ts'
import { TEXTS } from '../../../texts.ts'

/** Requires a name to be typed before data is deleted. Enter in the input does not press the button. */
export function TypedConfirmation(props: {
  title: string
  /** What must be typed. */
  name: string
  action: string
  children: ReactNode
  onClose: () => void
  onConfirm: () => Promise<void>
}) {
  const { title, name, action, children, onClose, onConfirm } = props
  const [typed, setTyped] = useState('')
  const { isBusy, error, run } = useAction({ leaves: true })
  return (
    <Dialog opened onClose={onClose} title={title} closeOnClickOutside={!isBusy}>
      <Stack>
        {children}
        <TextInput
          label={
            <>
              Type <Code fz="inherit">{name}</Code> to confirm
            </>
          }
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {error !== null && <ErrorNotice error={error} />}
        <DialogFooter>
          <Button variant="subtle" color="gray" onClick={onClose} disabled={isBusy}>
            {TEXTS.cancel}
          </Button>
          <Button
            color="red"
            onClick={() => void run(() => onConfirm().then(onClose))}
            loading={isBusy}
            disabled={typed !== name}
            title={typed === name ? undefined : 'The name is not complete'}
          >
            {action}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  )
}
