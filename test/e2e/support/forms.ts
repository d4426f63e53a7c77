import type { WorkflowJson } from '../../../sandbox/n8n/types';
import type { Environment } from './environment';
import { eventually } from './eventually';

/** The pages of a published form, filled in as a browser does it. */
export class FormVisit {
	private constructor(private readonly page: string) {}

	/** Submits the first page, as soon as n8n has it. */
	static async begin(url: string, value: string | File): Promise<FormVisit> {
		const begun = await eventually(async () => {
			const response = await submit(url, 'field-0', value);
			if (!response.ok) throw new Error(`The form is not there yet: ${response.status}`);
			return response;
		});
		const { formWaitingUrl } = (await begun.json()) as { formWaitingUrl: string };
		return new FormVisit(formWaitingUrl);
	}

	/** Submits the page that is there. */
	async submit(field: string, value: string): Promise<void> {
		await submit(this.page, field, value);
	}

	/** The HTML of the page, once it contains a text. */
	async read(text: string): Promise<string> {
		return await eventually(async () => {
			// n8n does not respond to a page that is asked for while the execution runs.
			const response = await fetch(this.page, { signal: AbortSignal.timeout(2_000) });
			const page = await response.text();
			if (!page.includes(text)) throw new Error(`The page is another one: ${page.slice(0, 200)}`);
			return page;
		});
	}
}

/** Publishes a workflow that begins with a form; returns the form's address. */
export async function publishForm(environment: Environment, workflow: WorkflowJson): Promise<string> {
	await environment.publish(workflow);
	const trigger = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	return `${environment.client.url}/form/${String(trigger?.webhookId)}`;
}

async function submit(address: string, field: string, value: string | File): Promise<Response> {
	const body = new FormData();
	body.set(field, value);
	return await fetch(address, { method: 'POST', body });
}
