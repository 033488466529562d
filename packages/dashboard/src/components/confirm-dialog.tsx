import { Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { TEXTS } from '../texts.ts'
import { Dialog, DialogFooter } from './dialog.tsx'

export function ConfirmDialog(props: {
  title: string
  children: ReactNode
  action: string
  color?: string
  opened: boolean
  onClose: () => void
  onConfirm: () => void
}) {
  const { title, children, action, color = 'red', opened, onClose, onConfirm } = props
  // Enter must not delete what the operator has not read about.
  const isDestructive = color === 'red'
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Stack>
        {typeof children === 'string' ? <Text size="sm">{children}</Text> : children}
        <DialogFooter>
          <Button
            variant="subtle"
            color="gray"
            onClick={onClose}
            data-autofocus={isDestructive || undefined}
          >
            {TEXTS.cancel}
          </Button>
          <Button color={color} onClick={onConfirm} data-autofocus={!isDestructive || undefined}>
            {action}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  )
}
