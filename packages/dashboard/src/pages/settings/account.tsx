import {
  Button,
  Kbd,
  SegmentedControl,
  Switch,
  TextInput,
  useMantineColorScheme,
} from '@mantine/core'
import type { Account } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { accountQuery, signOut, useChangeAccount } from '../../api/account.ts'
import { attempt, useAttempt } from '../../components/confirm.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { formatCode } from '../../lib/format.ts'
import { ROLE_DESCRIPTIONS } from '../../lib/roles.ts'
import { TEXTS } from '../../texts.ts'
import { describedBy, LinesSkeleton, Row, SettingsSection } from './parts.tsx'

/** The account of the signed-in operator, and the display in this browser. */
export function AccountSettings() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const query = useQuery(accountQuery())
  return (
    <>
      <Loaded query={query} skeleton={<LinesSkeleton lines={4} />}>
        {({ account }) => (
          <SettingsSection title="You" description="Changes are saved at once.">
            <Row
              title="Name"
              hint="Shown to your colleagues and in the log."
              htmlFor="account-name"
              isWide
            >
              <NameInput key={account.name} name={account.name} />
            </Row>
            <Row title={TEXTS.eMail} hint="You sign in with it. The audit log names you by it.">
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
        <Row title="Time zone" hint="Of the times on the pages. Set by your browser.">
          {Intl.DateTimeFormat().resolvedOptions().timeZone}
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
      {query.data && <MailSection account={query.data.account} />}
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

/** Saves the name when the input is left, or on Enter. */
function NameInput({ name }: { name: string }) {
  const change = useChangeAccount()
  const { isBusy, run } = useAttempt()
  return (
    <TextInput
      id="account-name"
      ref={describedBy('account-name-hint')}
      size="xs"
      maxLength={200}
      required
      autoComplete="name"
      defaultValue={name}
      readOnly={isBusy}
      onKeyDown={({ key, nativeEvent, currentTarget }) => {
        if (key === 'Enter' && !nativeEvent.isComposing) currentTarget.blur()
      }}
      onBlur={({ currentTarget: input }) => {
        if (isBusy || input.value === name) return
        // The hub may have stored it without the spaces around it, or not at all.
        let stored = name
        const save = async () => {
          stored = (await change({ name: input.value })).name
        }
        void run(save).then(() => {
          input.value = stored
        })
      }}
    />
  )
}

/** Which mails the hub sends to the operator. */
function MailSection({ account: { alert_mails, mail_set_up } }: { account: Account }) {
  const change = useChangeAccount()
  const { isBusy, run } = useAttempt()
  return (
    <SettingsSection title="E-mail to you">
      <Row
        title="Alerts"
        htmlFor="alert-mails"
        hint={`When an alert opens and when it is resolved, at most one e-mail in five minutes.${
          mail_set_up ? '' : ' The hub has no mail server yet.'
        }`}
      >
        <Switch
          id="alert-mails"
          aria-describedby="alert-mails-hint"
          checked={alert_mails}
          disabled={isBusy || (!mail_set_up && !alert_mails)}
          onChange={({ currentTarget }) => {
            const { checked } = currentTarget
            void run(() => change({ alert_mails: checked }))
          }}
        />
      </Row>
    </SettingsSection>
  )
}
