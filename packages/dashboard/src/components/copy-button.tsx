import { ActionIcon, Button, CopyButton as MantineCopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

/** Copies a text; an icon unless it is given words. */
export function CopyButton({
  value,
  label,
  words,
}: {
  /** Null while it is not known. */
  value: string | null
  label: string
  words?: string
}) {
  return (
    <MantineCopyButton value={value ?? ''} timeout={2000}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={16} /> : <IconCopy size={16} />
        return words ? (
          <Button
            variant="default"
            size="xs"
            leftSection={icon}
            disabled={value === null}
            onClick={copy}
          >
            {copied ? 'Copied' : words}
          </Button>
        ) : (
          <Tooltip label={copied ? 'Copied' : label}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={label}
              disabled={value === null}
              onClick={copy}
            >
              {icon}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </MantineCopyButton>
  )
}
