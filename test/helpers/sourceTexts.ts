import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '../..');

/** A text of the source that a user may read. */
interface SourceText {
	/** File and line. */
	place: string;
	/** Placeholders are `…`. */
	text: string;
	/** The name of the property, or of the function that receives it. */
	role: string;
}

/**
 * The texts of two words or more in the nodes and the credential, without log messages, plain errors and
 * expressions.
 */
export const sourceTexts: SourceText[] = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.flatMap((name) => textsOf(join(root, folder, name))),
);

function textsOf(file: string): SourceText[] {
	const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
	const found: SourceText[] = [];
	const visit = (node: ts.Node) => {
		if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isForDevelopers(node)) return;
		const text = textOf(node);
		if (text !== undefined && /\S \S/.test(text) && !text.startsWith('=')) {
			const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
			found.push({ place: `${relative(root, file)}:${line}`, text, role: roleOf(node.parent) });
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (!ts.isTemplateExpression(node)) return undefined;
	return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

function isForDevelopers(node: ts.Node): boolean {
	if (ts.isNewExpression(node)) return node.expression.getText() === 'Error';
	return ts.isCallExpression(node) && /\blogger\b/.test(node.expression.getText());
}

function roleOf(parent: ts.Node): string {
	if (ts.isPropertyAssignment(parent)) return parent.name.getText();
	if (ts.isNewExpression(parent) || ts.isCallExpression(parent)) return parent.expression.getText();
	return '';
}
