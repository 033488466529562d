import { ActionIcon, Avatar, Menu, Text, VisuallyHidden } from '@mantine/core'
import { IconLogout, IconSettings } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { session } from '../api/session.ts'
import { signOut } from '../api/sign-out.ts'
import { attempt } from '../components/confirm.tsx'
import { MENU_PROPS } from '../components/menu-props.ts'
import { useStore } from '../lib/store.ts'
import { TEXTS } from '../texts.ts'

export function OperatorMenu() {
  const { operator } = useStore(session)
  return (
    <Menu {...MENU_PROPS} position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" radius="xl">
          <VisuallyHidden>Your account</VisuallyHidden>
          <Avatar
            size={28}
            radius="xl"
            name={operator?.name ?? '?'}
            color="gray"
            alt=""
            aria-hidden
          />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600}>
            {operator?.name}
          </Text>
          <Text size="xs">
            {operator?.email} · {operator?.role}
          </Text>
        </Menu.Label>
        <Menu.Item
          component={Link}
          to="/dashboard/settings"
          leftSection={<IconSettings size={16} />}
        >
          {TEXTS.settings}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => attempt(() => signOut('/sign-in'))}
        >
          {TEXTS.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
