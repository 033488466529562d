import { Button, Code, Stack, TextInput, type TextInputProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useAction } from '../lib/use-action.ts'
import { TEXTS } from '../texts.ts'
import { Dialog, DialogFooter } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'

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
        <TypedName name={name} typed={typed} setTyped={setTyped} data-autofocus />
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
            title={typed === name ? undefined : INCOMPLETE}
          >
            {action}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  )
}

/** Says why the button is disabled until the name is typed. */
export const INCOMPLETE = 'The name is not complete'

/** The input of the name that must be typed. */
export function TypedName(
  props: { name: string; typed: string; setTyped: (typed: string) => void } & TextInputProps,
) {
  const { name, typed, setTyped, ...others } = props
  return (
    <TextInput
      label={
        <>
          Type <Code fz="inherit">{name}</Code> to confirm
        </>
      }
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      {...others}
    />
  )
}
