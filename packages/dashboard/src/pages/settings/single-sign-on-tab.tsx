import { Badge, Code, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { singleSignOnQuery } from '../../api/settings.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { formatWord } from '../../lib/format.ts'
import { Facts } from './facts.tsx'
import { LinesSkeleton, SettingsSection } from './settings-section.tsx'

/** What is set up of single sign-on, and how to do so. */
export function SingleSignOnTab() {
  const found = useQuery(singleSignOnQuery())
  const error = errorInPlaceOfData(found)
  if (error) return <ErrorNotice error={error} onRetry={() => found.refetch()} />
  if (!found.data) return <LinesSkeleton lines={6} />
  const sso = found.data.single_sign_on
  return (
    <Stack maw={860}>
      <SettingsSection
        title="Single sign-on"
        description="Operators sign in with the account that they have in your organisation, by OpenID Connect."
        action={
          <Badge variant="light" color={sso.configured ? 'green' : 'gray'} tt="none">
            {sso.configured ? 'Set up' : 'Not set up'}
          </Badge>
        }
      >
        {sso.configured && (
          <Facts
            label="Single sign-on"
            facts={[
              ['Button', `Sign in with ${sso.name}`],
              ['Provider', <Code key="issuer">{sso.issuer}</Code>],
              ['Client id', <Code key="client">{sso.client_id}</Code>],
              ['Client secret', 'Set, and never shown'],
              ['Redirect URI', <Redirect key="redirect" uri={sso.redirect_uri} />],
              [
                'Gets in without an invitation',
                sso.domains.length > 0
                  ? `E-mails of ${sso.domains.join(', ')}, as ${formatWord(sso.default_role ?? '')}`
                  : 'Nobody',
              ],
            ]}
          />
        )}
        {!sso.configured && (
          <Text size="sm">Operators sign in with a password or a passkey until it is set up.</Text>
        )}
      </SettingsSection>
      <SettingsSection
        title="How to set it up"
        description="In the settings of the hub, since the secret of the provider belongs there."
      >
        <List type="ordered" size="sm" spacing="xs">
          <List.Item>
            Register the hub as a web application at your provider (Keycloak, Microsoft Entra ID,
            Google, Okta, Authentik…), with this redirect URI: <Redirect uri={sso.redirect_uri} />
          </List.Item>
          <List.Item>
            Set <Code>HUB_PUBLIC_URL</Code>, <Code>HUB_OIDC_ISSUER</Code>,{' '}
            <Code>HUB_OIDC_CLIENT_ID</Code> and <Code>HUB_OIDC_CLIENT_SECRET</Code>, and the words
            of the button with <Code>HUB_OIDC_NAME</Code>.
          </List.Item>
          <List.Item>
            Who was invited gets in with the role of the invitation. To let a whole domain in, set{' '}
            <Code>HUB_OIDC_DOMAINS</Code>, and its role with <Code>HUB_OIDC_ROLE</Code>. The
            provider must have verified the e-mail.
          </List.Item>
          <List.Item>Restart the hub. The button then stands on the sign-in page.</List.Item>
        </List>
      </SettingsSection>
    </Stack>
  )
}

function Redirect({ uri }: { uri: string | null }) {
  if (uri === null) return <Code>{'<HUB_PUBLIC_URL>/api/auth/callback/oidc'}</Code>
  return (
    <Group gap={4} component="span" display="inline-flex">
      <Code>{uri}</Code>
      <CopyButton value={uri} label="Copy the redirect URI" />
    </Group>
  )
}
