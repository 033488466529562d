import {
  Alert,
  Button,
  Code,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import type { ConnectionCheck, Manifest, ProbeResponse } from '@recordhub/protocol'
import { trimTrailing } from '@recordhub/protocol/text'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { type FormEvent, useRef, useState } from 'react'
import { HubCallError } from '../../../api/call-hub.ts'
import { usePlatforms } from '../../../api/platforms.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { TEXTS } from '../../../texts.ts'
import { CheckList } from '../check-list.tsx'
import { ConformanceButton } from '../conformance/conformance-button.tsx'
import { isCheck, useConnectionChecks } from '../use-hub-lines.ts'

export type Source = { source_base_url: string; source_api_key: string }

/** How much of a platform is requested, by the button that requests it. */
const EXTENTS = { ping: { only_ping: true }, platformData: { check_everything: true } } as const

/** The fetched data of a platform. */
export type Connected = {
  manifest: Manifest
  checks: readonly ConnectionCheck[]
}

/** The field that has to be corrected after an error with this code. */
const KEY_ERRORS = ['platform_rejected_key', 'source_key_invalid']
const URL_ERRORS = [
  ...['source_url_invalid', 'platform_address_rejected', 'platform_unreachable'],
  ...['platform_redirected', 'platform_path_missing', 'platform_name_differs'],
]
/** How the keys begin that this hub issues. */
const HUB_KEY = 'rhk_'

type ConnectStepProps = {
  source: Source
  onChange: (source: Source) => void
  onConnected: (connected: Connected) => void
}

/** The first step: base URL, source API key, connection test and the data of the platform. */
export function ConnectStep({ source, onChange, onConnected }: ConnectStepProps) {
  const { checks, result, isRunning, error, run, clear } = useConnectionChecks<ProbeResponse>()
  const change = (over: Partial<Source>) => {
    onChange({ ...source, ...over })
    // The results do not apply to another address or key.
    clear()
  }
  const urlInput = useRef<HTMLInputElement>(null)
  const keyInput = useRef<HTMLInputElement>(null)
  const [extent, setExtent] = useState<keyof typeof EXTENTS>('platformData')
  const probe = (chosen: keyof typeof EXTENTS) => {
    setExtent(chosen)
    void run('/api/v1/platforms/probe', { ...source, ...EXTENTS[chosen] })
  }
  const fetchData = (event: FormEvent) => {
    event.preventDefault()
    probe('platformData')
  }
  const modules = result?.manifest?.modules ?? []
  const nameOf = (type: string) =>
    modules.find((one) => one.record_type === type)?.module_name ?? type
  const isHubKey = source.source_api_key.startsWith(HUB_KEY)
  const failure = isRunning ? null : fieldError(checks.find(({ ok }) => !ok) ?? error)
  const actionsOf = ({ code, message, suggested_base_url }: ConnectionCheck, label: string) => (
    <Group gap="xs" mt="xs">
      {suggested_base_url !== null && (
        <Button
          variant="default"
          size="xs"
          title={suggested_base_url}
          onClick={() => {
            change({ source_base_url: suggested_base_url })
            urlInput.current?.focus()
          }}
        >
          Use that address
        </Button>
      )}
      {KEY_ERRORS.includes(code ?? '') && (
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            keyInput.current?.focus()
            keyInput.current?.select()
          }}
        >
          Enter another key
        </Button>
      )}
      <CopyButton
        value={messageToOwner(source.source_base_url, `${label}: ${message}`)}
        label="Copy a message to the owner"
        text="Copy a message to the owner"
        isQuiet
      />
    </Group>
  )
  const isStopped = result !== null && !isRunning && !result.manifest && extent === 'platformData'
  const isMissing = (id: string) => !checks.some(({ check }) => check === id)
  return (
    <Stack>
      <Paper withBorder p="md" component="form" onSubmit={fetchData}>
        <Stack>
          <Text size="sm" c="dimmed">
            The owner of the platform adds the endpoints described in the{' '}
            <PageLink to="/dashboard/guide" inherit underline="always">
              integration guide
            </PageLink>{' '}
            and gives you the base URL and the key.
          </Text>
          <TextInput
            ref={urlInput}
            label={TEXTS.sourceBaseUrl}
            description="The URL up to, but without, /api"
            placeholder="https://hr.example.org"
            type="url"
            inputMode="url"
            required
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            error={failure?.field === 'url' && failure.message}
            value={source.source_base_url}
            onChange={({ currentTarget }) => change({ source_base_url: currentTarget.value })}
          />
          <PasswordInput
            ref={keyInput}
            label="Source API key"
            description="The hub sends it to the platform in X-PLATFORM-API-KEY. It is stored encrypted."
            required
            autoComplete="off"
            aria-invalid={failure?.field === 'key'}
            error={
              failure?.field === 'key' &&
              (isHubKey
                ? `This key starts with ${HUB_KEY}, so a hub issued it for pushes. Enter the key that the platform issued.`
                : failure.message)
            }
            value={source.source_api_key}
            onChange={({ currentTarget }) => change({ source_api_key: currentTarget.value })}
          />
          <Group>
            <Button
              variant="default"
              loading={isRunning && extent === 'ping'}
              disabled={isRunning && extent !== 'ping'}
              onClick={({ currentTarget }) => {
                if (currentTarget.form?.reportValidity()) probe('ping')
              }}
            >
              {TEXTS.testConnection}
            </Button>
            <Button
              type="submit"
              variant={result?.success && result.manifest ? 'default' : 'filled'}
              loading={isRunning && extent === 'platformData'}
              disabled={isRunning && extent !== 'platformData'}
            >
              Fetch Platform Data
            </Button>
            <Text size="sm" c="dimmed">
              Nothing is saved until you register.
            </Text>
            {result && !isRunning && (
              <ConformanceButton
                path="/api/v1/platforms/conformance"
                body={source}
                title={`Conformance of ${result.manifest?.platform_title ?? source.source_base_url}`}
              />
            )}
          </Group>
        </Stack>
      </Paper>
      {error !== null && failure === null && <ErrorNotice error={error} />}
      {(checks.length > 0 || isRunning) && (
        <CheckList
          checks={checks}
          isRunning={isRunning}
          nameOf={nameOf}
          actionsOf={actionsOf}
          waiting={
            isStopped
              ? [
                  ...(isMissing('ping') ? ['Ping'] : []),
                  ...(isMissing('manifest') ? ['Manifest'] : []),
                  ...['Records of each module', 'Search'],
                ]
              : []
          }
        />
      )}
      {result && !isRunning && (
        <Outcome result={result} source={source} onChange={onChange} onConnected={onConnected} />
      )}
    </Stack>
  )
}

type OutcomeProps = ConnectStepProps & { result: ProbeResponse }

function Outcome({ result, source, onChange, onConnected }: OutcomeProps) {
  const { success, ping, manifest, checks, source_base_url } = result
  const platforms = usePlatforms()
  const name = manifest?.platform_name ?? ping?.platform_name
  const same = platforms.data?.find((one) => one.platform_name === name)
  if (!success || name === undefined) {
    return (
      <Alert color="red" icon={<IconAlertTriangle />} title="Not connected yet">
        Fix the failed checks above and test again. Nothing was saved.
      </Alert>
    )
  }
  if (same) {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle />} title="Already registered">
        This platform is registered as{' '}
        <PageLink
          to="/dashboard/platforms/$id"
          params={{ id: String(same.id) }}
          inherit
          underline="always"
        >
          {same.display_title}
        </PageLink>
        . Change its modules, address and keys there.
      </Alert>
    )
  }
  if (!manifest) {
    return (
      <Alert color="green" icon={<IconCircleCheck />} title="The connection works" role="status">
        {`${name} is online. Fetch its platform data to select modules.`}
      </Alert>
    )
  }
  const allPassed = checks.every((one) => one.ok)
  const entered = trimTrailing(source.source_base_url.trim(), '/')
  const isCorrected = source_base_url !== null && source_base_url !== entered
  return (
    <Alert
      color={allPassed ? 'green' : 'yellow'}
      icon={allPassed ? <IconCircleCheck /> : <IconAlertTriangle />}
      title={`${manifest.platform_title} (${manifest.platform_name})`}
    >
      <Text size="sm">{manifest.platform_description}</Text>
      {!allPassed && (
        <Text size="sm" mt={4}>
          You can still register it and fix the failed checks later.
        </Text>
      )}
      {isCorrected && (
        <Text size="sm" mt={4}>
          The base URL of this platform is <Code>{source_base_url}</Code>. The hub adds the path of
          each endpoint to it.
        </Text>
      )}
      <Group mt="sm" gap="xs">
        <Button onClick={() => onConnected({ manifest, checks })}>Select modules</Button>
        {isCorrected && (
          <Button variant="default" onClick={() => onChange({ ...source, source_base_url })}>
            Use {source_base_url}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** Where the error is shown; null if neither field is wrong. */
function fieldError(error: unknown): { field: 'url' | 'key'; message: string } | null {
  const { code, message } = error instanceof HubCallError || isCheck(error) ? error : NO_ERROR
  if (KEY_ERRORS.includes(code ?? '')) return { field: 'key', message }
  return URL_ERRORS.includes(code ?? '') ? { field: 'url', message } : null
}

const NO_ERROR = { code: null, message: '' }

/** What the owner of the platform has to know about a failed check. It contains no key. */
function messageToOwner(address: string, failure: string): string {
  return [
    `We connect your platform at ${address} to our record hub. The hub cannot read it yet:`,
    failure,
    'What the hub requests is described in the integration guide that you have from us.',
  ].join('\n\n')
}
