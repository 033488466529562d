import { Button, CopyButton as MantineCopyButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { TEXTS } from '../texts.ts'
import { attempt, notify } from './confirm.tsx'
import { IconButton } from './icon-button.tsx'

/** Copies the link to a page of the hub, and says whether it could: without HTTPS, a browser may refuse. */
export function copyLink(address: string): void {
  void attempt(async () => {
    try {
      await navigator.clipboard.writeText(new URL(address, location.href).href)
    } catch {
      throw new Error('The browser does not let the page copy the link.')
    }
    notify('The link was copied.')
  })
}

/** Copies a value to the clipboard. Shows only an icon without `text`. */
export function CopyButton(props: {
  /** Null while it is unknown. */
  value: string | null
  label: string
  text?: string
  /** Without a border. */
  isQuiet?: boolean
  /** The main action of the page. */
  isPrimary?: boolean
}) {
  const { value, label, text, isQuiet = false, isPrimary = false } = props
  return (
    <MantineCopyButton value={value ?? ''} timeout={2000}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={16} /> : <IconCopy size={16} />
        return text ? (
          <Button
            variant={isPrimary ? 'filled' : isQuiet ? 'subtle' : 'default'}
            {...(isPrimary ? {} : { color: 'gray' })}
            aria-label={copied ? TEXTS.copied : label}
            size={isPrimary ? 'sm' : 'xs'}
            leftSection={icon}
            disabled={value === null}
            onClick={copy}
          >
            {copied ? TEXTS.copied : text}
          </Button>
        ) : (
          <IconButton
            label={label}
            tooltip={copied ? TEXTS.copied : label}
            disabled={value === null}
            onClick={copy}
          >
            {icon}
          </IconButton>
        )
      }}
    </MantineCopyButton>
  )
}
