import { Badge, Code, Group, List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { singleSignOnQuery } from '../../api/settings.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { TEXTS } from '../../texts.ts'
import { Facts, LinesSkeleton, Row, SettingsSection } from './parts.tsx'

/** The single sign-on settings, and instructions to configure them. */
export function SingleSignOnSettings() {
  return (
    <Loaded query={useQuery(singleSignOnQuery())} skeleton={<LinesSkeleton lines={6} />}>
      {({ single_sign_on: sso }) => (
        <>
          <SettingsSection
            title="Provider"
            action={
              <Badge color={sso.configured ? 'green' : 'gray'}>
                {sso.configured ? 'Configured' : 'Not configured'}
              </Badge>
            }
          >
            {sso.configured && (
              <Facts
                label="Single sign-on"
                facts={[
                  ['Button label', `Continue with ${sso.name}`],
                  ['Provider', <Code key="issuer">{sso.issuer}</Code>],
                  ['Client ID', <Code key="client">{sso.client_id}</Code>],
                  ['Client secret', 'Configured, never shown'],
                  ['Redirect URI', <Redirect key="redirect" uri={sso.redirect_uri} />],
                  [
                    'Access without an invitation',
                    sso.domains.length > 0
                      ? `E-mail addresses of ${sso.domains.join(', ')}, with the role ${sso.default_role ?? ''}`
                      : TEXTS.none,
                  ],
                ]}
              />
            )}
            {!sso.configured && <Row title="Operators sign in with a password or a passkey." />}
          </SettingsSection>
          <SettingsSection
            title="Configuration"
            description="Single sign-on is configured by the settings of the hub."
          >
            <List type="ordered" size="sm" spacing="xs" p="md">
              <List.Item>
                Register the hub as a web application at your provider (Keycloak, Microsoft Entra
                ID, Google, Okta, Authentik…) with this redirect URI:{' '}
                {<Redirect uri={sso.redirect_uri} />}
              </List.Item>
              <List.Item>
                Set <Code>HUB_PUBLIC_URL</Code>, <Code>HUB_OIDC_ISSUER</Code>,{' '}
                <Code>HUB_OIDC_CLIENT_ID</Code> and <Code>HUB_OIDC_CLIENT_SECRET</Code>, and the
                label of the button with <Code>HUB_OIDC_NAME</Code>.
              </List.Item>
              <List.Item>
                Invited operators get the role of their invitation. To give access to a whole
                domain, set <Code>HUB_OIDC_DOMAINS</Code>, and the role with{' '}
                <Code>HUB_OIDC_ROLE</Code>. The provider must have verified the e-mail address.
              </List.Item>
              <List.Item>Restart the hub. The button appears on the sign-in page.</List.Item>
            </List>
          </SettingsSection>
        </>
      )}
    </Loaded>
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
