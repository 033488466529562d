import { Badge, Code, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { singleSignOnQuery } from '../../api/settings.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Facts } from './facts.tsx'
import { LinesSkeleton, SettingsSection } from './settings-section.tsx'
import { TEXTS } from './texts.tsx'

/** The single sign-on settings, and instructions to configure them. */
export function SingleSignOnTab() {
  const found = useQuery(singleSignOnQuery())
  const error = errorInPlaceOfData(found)
  if (error) return <ErrorNotice error={error} onRetry={() => found.refetch()} />
  if (!found.data) return <LinesSkeleton lines={6} />
  const sso = found.data.single_sign_on
  return (
    <Stack maw={860}>
      <SettingsSection
        title={TEXTS.singleSignOn}
        description={TEXTS.singleSignOnDescription}
        action={
          <Badge variant="light" color={sso.configured ? 'green' : 'gray'} tt="none">
            {sso.configured ? TEXTS.configured : TEXTS.notConfigured}
          </Badge>
        }
      >
        {sso.configured && (
          <Facts
            label={TEXTS.singleSignOn}
            facts={[
              [TEXTS.buttonLabel, TEXTS.signInWith(sso.name)],
              [TEXTS.provider, <Code key="issuer">{sso.issuer}</Code>],
              [TEXTS.clientId, <Code key="client">{sso.client_id}</Code>],
              [TEXTS.clientSecret, TEXTS.configuredNeverShown],
              [TEXTS.redirectUri, <Redirect key="redirect" uri={sso.redirect_uri} />],
              [
                TEXTS.accessWithoutInvitation,
                sso.domains.length > 0
                  ? TEXTS.domainsWithRole(sso.domains.join(', '), sso.default_role ?? '')
                  : TEXTS.none,
              ],
            ]}
          />
        )}
        {!sso.configured && <Text size="sm">{TEXTS.noSingleSignOnHint}</Text>}
      </SettingsSection>
      <SettingsSection title={TEXTS.configuration} description={TEXTS.configurationDescription}>
        <List type="ordered" size="sm" spacing="xs">
          <List.Item>{TEXTS.registerAtProviderStep(<Redirect uri={sso.redirect_uri} />)}</List.Item>
          <List.Item>{TEXTS.setVariablesStep()}</List.Item>
          <List.Item>{TEXTS.rolesStep()}</List.Item>
          <List.Item>{TEXTS.restartStep}</List.Item>
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
      <CopyButton value={uri} label={TEXTS.copyRedirectUri} />
    </Group>
  )
}
