import { Badge, Box, Button, Code, Group, Portal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Account } from '@recordhub/protocol'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { encode } from 'uqr'
import { accountQuery, ownSessionsQuery } from '../../api/account.ts'
import { callHub } from '../../api/call-hub.ts'
import { renewSession } from '../../api/session.ts'
import { attempt, notify } from '../../components/confirm.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog, DialogFooter } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { PasswordDialog } from '../../components/password-dialog.tsx'
import { saveFile } from '../../lib/save-file.ts'
import { TEXTS } from '../../texts.ts'
import { Row, SecretOnce, SettingsSection } from './parts.tsx'
import classes from './settings.module.css'

const PATH = '/api/v1/account/second-factor'

/** Two-factor authentication with an authenticator app. */
export function SecondFactorSection({ account }: { account: Account }) {
  const client = useQueryClient()
  const [dialog, setDialog] = useState<'set up' | 'turn off' | 'codes' | null>(null)
  const isOn = account.second_factor
  const close = () => setDialog(null)

  /** A change of the second factor creates a new session. */
  async function refresh(): Promise<void> {
    await renewSession()
    await client.invalidateQueries(accountQuery())
    await client.invalidateQueries(ownSessionsQuery())
  }

  return (
    <SettingsSection title="Two-factor authentication">
      <Row
        title="Authenticator app"
        hint="A code of the app is required after the password, so that the password alone does not give access."
        isWide
      >
        <Badge color={isOn ? 'green' : 'gray'}>{isOn ? 'On' : 'Off'}</Badge>
        {isOn ? (
          <>
            <Button variant="default" onClick={() => setDialog('codes')}>
              New recovery codes
            </Button>
            <Button variant="subtle" color="red" onClick={() => setDialog('turn off')}>
              Turn off
            </Button>
          </>
        ) : (
          <Button
            variant="default"
            disabled={!account.has_password}
            onClick={() => setDialog('set up')}
          >
            {account.has_password
              ? TEXTS.setUpTwoFactor
              : 'Managed by your single sign-on provider'}
          </Button>
        )}
      </Row>
      {dialog === 'set up' && (
        <SecondFactorDialog title={TEXTS.setUpTwoFactor} onClose={close} onSaved={refresh} />
      )}
      {dialog === 'codes' && (
        <SecondFactorDialog title="New recovery codes" isOn onClose={close} onSaved={refresh} />
      )}
      {dialog === 'turn off' && (
        <PasswordDialog
          title="Turn off two-factor authentication"
          action="Turn off"
          danger
          onClose={close}
          onConfirm={async (password) => {
            await callHub(PATH, { method: 'DELETE', body: { password } })
            await refresh()
            close()
            notify('Two-factor authentication is off.')
          }}
        >
          You will sign in with your password only. Your recovery codes will no longer work.
        </PasswordDialog>
      )}
    </SettingsSection>
  )
}

/** `uri`: the `otpauth://` URI for the authenticator app. */
type Setup = { uri: string; codes: string[] }

/**
 * The set-up of an authenticator app in one dialog: the password, the QR code with its first code, then the recovery codes.
 * `isOn`: only new recovery codes.
 */
export function SecondFactorDialog(props: {
  title: string
  isOn?: boolean
  onClose: () => void
  /** After the operator has confirmed that the recovery codes are saved. */
  onSaved: () => Promise<void>
}) {
  const { title, isOn = false, onClose, onSaved } = props
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)

  async function start(password: string): Promise<void> {
    const { totp_uri: uri, recovery_codes } = await callHub<{
      totp_uri?: string
      recovery_codes: string[]
    }>(isOn ? `${PATH}/recovery-codes` : PATH, { method: 'POST', body: { password } })
    if (uri === undefined) setCodes(recovery_codes)
    else setSetup({ uri, codes: recovery_codes })
  }

  if (codes) {
    return (
      <Dialog opened staysOpen withCloseButton={false} onClose={onClose} title={title} size="lg">
        <Stack>
          <RecoveryCodes codes={codes} />
          <DialogFooter>
            <Button
              onClick={() =>
                attempt(async () => {
                  await onSaved()
                  onClose()
                })
              }
            >
              I have saved the codes
            </Button>
          </DialogFooter>
        </Stack>
      </Dialog>
    )
  }
  if (setup) {
    return (
      <FirstCode
        title={title}
        uri={setup.uri}
        onDone={() => setCodes(setup.codes)}
        onClose={onClose}
      />
    )
  }
  return (
    <PasswordDialog
      title={title}
      action={isOn ? 'Create new codes' : TEXTS.continue}
      onClose={onClose}
      onConfirm={start}
    >
      {isOn && 'Your current recovery codes will no longer work.'}
    </PasswordDialog>
  )
}

type FirstCodeProps = { title: string; uri: string; onDone: () => void; onClose: () => void }

/** Shows the QR code for the authenticator app, and confirms it with a first code. */
function FirstCode({ title, uri, onDone, onClose }: FirstCodeProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  return (
    <FormDialog
      form={form}
      staysOpen
      title={title}
      size="lg"
      action="Turn on"
      onClose={onClose}
      onSubmit={async ({ code }) => {
        const body = { code: code.replaceAll(' ', '') }
        await callHub(`${PATH}/confirm`, { method: 'POST', body })
        onDone()
      }}
    >
      <Group align="flex-start" gap="lg">
        <QrCode text={uri} />
        <Stack flex={1} miw={240}>
          <Text size="sm">Scan the QR code with an authenticator app, or enter this key:</Text>
          <Group gap={4} wrap="nowrap">
            <Code data-secret="key">{secret}</Code>
            <CopyButton value={secret} label={TEXTS.copyKey} />
          </Group>
          <TextInput
            label="Current code"
            required
            maw={260}
            inputMode="numeric"
            autoComplete="one-time-code"
            placeholder="123456"
            data-autofocus
            {...form.getInputProps('code')}
          />
        </Stack>
      </Group>
    </FormDialog>
  )
}

/** A QR code, always dark on light. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const squares = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
  )
  return (
    <Box w={200} h={200} bg="white" bdrs="sm">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label="QR code for your authenticator app"
        shapeRendering="crispEdges"
        width="100%"
        height="100%"
      >
        <path d={squares.join('')} fill="black" />
      </svg>
    </Box>
  )
}

/** New recovery codes, shown only once. On paper there are only the codes and the address of the hub. */
function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = codes.join('\n')
  const site = `Recordhub recovery codes, ${location.host}`
  const save = () => saveFile('recordhub-recovery-codes.txt', 'text/plain', `${site}\n\n${text}\n`)
  return (
    <SecretOnce
      title="Save these recovery codes"
      value={text}
      label="recovery codes"
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={save}
          >
            {TEXTS.download}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPrinter size={16} />}
            onClick={() => print()}
          >
            Print
          </Button>
        </>
      }
    >
      Each code works once if you do not have your authenticator app. The codes are not shown again.
      Save them in your password manager, or print them.
      <Portal reuseTargetNode={false}>
        <div className={classes['print']}>
          <p>{site}</p>
          <pre>{text}</pre>
        </div>
      </Portal>
    </SecretOnce>
  )
}
