"""Seeds a fresh Tryton database for the specs: python tryton-seed.py CONFIG DATABASE. Company, chart of accounts, parties, products, stock, user."""
import datetime as dt
import sys
from decimal import Decimal

from proteus import Model, config

config.set_trytond(database=sys.argv[2], config_file=sys.argv[1])
from trytond.modules.account.tests.tools import create_chart, create_fiscalyear, get_accounts  # noqa: E402
from trytond.modules.account_invoice.tests.tools import set_fiscalyear_invoice_sequences  # noqa: E402
from trytond.modules.company.tests.tools import create_company, get_company  # noqa: E402
from trytond.modules.currency.tests.tools import get_currency  # noqa: E402

GROUPS = ['Purchase', 'Sales', 'Stock', 'Production', 'Account', 'Product Administration', 'Party Administration']


def company_with_accounts():
    euro, dollar = get_currency('EUR'), get_currency('USD')
    create_company(currency=euro)
    company = get_company()
    for year in (company_year(company), company_year(company, 1)):
        set_fiscalyear_invoice_sequences(year).click('create_period')
    create_chart(company)
    return company, euro, dollar


def company_year(company, later=0):
    day = dt.date.today().replace(day=1)
    return create_fiscalyear(company, day.replace(year=day.year + later))


def category_of(company):
    accounts = get_accounts(company)
    category = Model.get('product.category')(name='Main', accounting=True)
    category.account_expense, category.account_revenue = accounts['expense'], accounts['revenue']
    category.save()
    return category


def party(name, code):
    record = Model.get('party.party')(name=name, code=code)
    record.addresses[0].street, record.addresses[0].city = 'Rheinweg 1', 'Bonn'
    record.save()
    return record


def product(name, code, price, cost, category):
    unit, = Model.get('product.uom').find([('name', '=', 'Unit')])
    template = Model.get('product.template')(
        name=name, default_uom=unit, type='goods', purchasable=True, salable=True, producible=True,
        list_price=Decimal(price), account_category=category)
    template.products[0].suffix_code, template.products[0].cost_price = code, Decimal(cost)
    template.save()
    return template.products[0]


def stock_of(company, products):
    location, = Model.get('stock.location').find([('code', '=', 'STO')])
    inventory = Model.get('stock.inventory')(company=company, location=location)
    for item, count in products:
        line = inventory.lines.new()
        line.product, line.quantity = item, count
    inventory.click('confirm')


def user(login, password, company):
    admin = Model.get('res.user')(1)
    admin.companies.append(Model.get('company.company')(company.id))
    admin.company = Model.get('company.company')(company.id)
    admin.save()
    record = Model.get('res.user')(name='Agent', login=login, password=password)
    record.companies.append(Model.get('company.company')(company.id))
    record.company = Model.get('company.company')(company.id)
    for group in Model.get('res.group').find([('name', 'in', GROUPS)]):
        record.groups.append(group)
    record.save()


company, euro, dollar = company_with_accounts()
category = category_of(company)
for name, code in [('Alpha Components GmbH', 'sup_alpha'), ('Beta Metals SpA', 'sup_beta'), ('Gamma Logistics Ltd', 'sup_gamma'),
                   ('Northwind Traders', 'cus_northwind'), ('Contoso Retail', 'cus_contoso')]:
    party(name, code)
widget = product('Widget A', 'p_widget_a', '21.00', '12.50', category)
bracket = product('Steel bracket', 'p_bracket', '4.20', '2.10', category)
product('Transport crate', 'p_crate', '60.00', '42.00', category)
stock_of(company, [(widget, 120), (bracket, 900)])
user('agent', 'agent-Pass-1', company)
