import { Button, Kbd, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { accountQuery, signOut } from '../../api/account.ts'
import { attempt } from '../../components/confirm.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { formatCode } from '../../lib/format.ts'
import { ROLE_DESCRIPTIONS } from '../../lib/roles.ts'
import { TEXTS } from '../../texts.ts'
import { LinesSkeleton, Row, SettingsSection } from './parts.tsx'

/** The account of the signed-in operator, and the display in this browser. */
export function AccountSettings() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Loaded query={useQuery(accountQuery())} skeleton={<LinesSkeleton lines={4} />}>
        {({ account }) => (
          <SettingsSection title={account.name}>
            <Row title={TEXTS.eMail} hint="Shown in the log and in the audit log.">
              {account.email}
            </Row>
            <Row
              title="Role"
              hint={`${ROLE_DESCRIPTIONS[account.role]} ${
                account.role === 'admin' ? 'Another admin' : 'An admin'
              } can change your role.`}
            >
              {formatCode(account.role)}
            </Row>
            {account.single_sign_on && (
              <Row title="Single sign-on" hint="You sign in with the account of your organisation.">
                On
              </Row>
            )}
          </SettingsSection>
        )}
      </Loaded>
      <SettingsSection title="Display">
        <Row title="Theme" hint="“System” follows your computer." isWide>
          <SegmentedControl
            aria-label="Theme"
            size="xs"
            value={colorScheme}
            data={[
              { value: 'auto', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            onChange={(scheme) =>
              setColorScheme(scheme === 'light' || scheme === 'dark' ? scheme : 'auto')
            }
          />
        </Row>
        <Row
          title="Keyboard shortcuts"
          hint={
            <>
              Press <Kbd size="xs">?</Kbd> on any page for the list.
            </>
          }
        />
      </SettingsSection>
      <SettingsSection title="Leave">
        <Row title={TEXTS.signOut} hint="On this browser. Other sessions are under Security.">
          <Button variant="default" onClick={() => void attempt(() => signOut('/sign-in'))}>
            {TEXTS.signOut}
          </Button>
        </Row>
      </SettingsSection>
    </>
  )
}
