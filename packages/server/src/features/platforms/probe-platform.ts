import type { Manifest, PingAnswer, ProbeAnswer, Problem } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import type { CallTarget } from '../../outgoing/call-platform.ts'
import type { PlatformClient } from '../../outgoing/platform-client.ts'
import { checkSourceKey, parseSourceUrl } from '../../outgoing/source-url.ts'

/**
 * Asks a platform for its ping and its manifest and tells every problem in words. Nothing is stored.
 */
export async function probePlatform(
  client: Pick<PlatformClient, 'ping' | 'fetchManifest'>,
  target: CallTarget,
): Promise<ProbeAnswer> {
  const problems: Problem[] = []
  const attempt = async <Result>(action: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      const isKnown = problems.some((problem) => problem.message === error.message)
      if (!isKnown) problems.push({ code: error.code, message: error.message })
      return null
    }
  }
  const address = await attempt(async () => ({
    source_base_url: parseSourceUrl(target.source_base_url),
    source_api_key: checkSourceKey(target.source_api_key),
  }))
  if (address === null) return { success: false, ping: null, manifest: null, problems }
  const ping = await attempt(() => client.ping(address))
  const manifest = await attempt(() => client.fetchManifest(address))
  const differs = findNameDifference(ping, manifest)
  if (differs) problems.push(differs)
  return { success: problems.length === 0, ping, manifest, problems }
}

function findNameDifference(ping: PingAnswer | null, manifest: Manifest | null): Problem | null {
  if (!ping || !manifest || ping.platform_name === manifest.platform_name) return null
  return {
    code: 'platform_answer_invalid',
    message: `The platform's ping says "${ping.platform_name}" and its manifest "${manifest.platform_name}". Both must give the same platform_name.`,
  }
}
