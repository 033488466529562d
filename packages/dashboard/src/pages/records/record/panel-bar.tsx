import { Box, Button, Menu } from '@mantine/core'
import {
  IconBraces,
  IconChevronDown,
  IconChevronLeft,
  IconChevronUp,
  IconDots,
  IconEraser,
  IconHistory,
  IconLink,
  IconX,
} from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { type PastVersion, recordPath, type ShownRecord } from '../../../api/records.ts'
import { copyLink } from '../../../components/copy-button.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { EraseDialog } from './erase-dialog.tsx'
import classes from './record.module.css'

export type PanelProps = {
  id: string
  /** Null at the beginning of the page of the list. */
  onPrevious: (() => void) | null
  onNext: (() => void) | null
}

/** The reference of a record, and what can be done with it. */
export function PanelBar(
  props: PanelProps & {
    record: ShownRecord | undefined
    past: PastVersion
    onClose: () => void
    onPickTime: () => void
  },
) {
  const { id, record, past, onPrevious, onNext, onClose, onPickTime } = props
  const isAdmin = useHasRole('admin')
  const [isErasing, setErasing] = useState(false)
  const button = (label: string, icon: ReactNode, onClick: (() => void) | null) => (
    <IconButton
      label={label}
      title={label}
      size={28}
      disabled={onClick === null}
      onClick={() => onClick?.()}
    >
      {icon}
    </IconButton>
  )
  return (
    <div className={classes['bar']}>
      <Button
        hiddenFrom="sm"
        ml={-8}
        variant="transparent"
        size="compact-sm"
        leftSection={<IconChevronLeft size={16} />}
        onClick={onClose}
      >
        {record?.module_name ?? 'List'}
      </Button>
      <code className={classes['reference']}>{record?.reference_number}</code>
      {button('Previous record (K)', <IconChevronUp size={16} />, onPrevious)}
      {button('Next record (J)', <IconChevronDown size={16} />, onNext)}
      {button('Copy link to this record', <IconLink size={16} />, () => copyLink(''))}
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>{button('More actions', <IconDots size={16} />, () => {})}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconHistory size={16} />} onClick={onPickTime}>
            View as of a time…
          </Menu.Item>
          <Menu.Item
            leftSection={<IconBraces size={16} />}
            component="a"
            href={recordPath(id, past)}
            target="_blank"
          >
            Open in the API
          </Menu.Item>
          {isAdmin && record && (
            <>
              <Menu.Divider />
              <Menu.Item
                color="red"
                leftSection={<IconEraser size={16} />}
                onClick={() => setErasing(true)}
              >
                Erase…
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Box component="span" visibleFrom="sm">
        {button('Close record', <IconX size={16} />, onClose)}
      </Box>
      {record && (
        <EraseDialog
          record={record}
          isOpen={isErasing}
          onClose={() => setErasing(false)}
          onErased={onClose}
        />
      )}
    </div>
  )
}
